import { setTimeout as wait } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { environments, type Environment } from '../auth/principal.js';
import { parseExistingTime } from '../common/existing-time.js';
import { dtoOf } from '../http/requests/dto.pipe.js';
import { CommandError } from './command-error.js';

/** Gateways look for changes more often than this, so that a change is in force by the time its command answers. */
const SEEN_EVERYWHERE_MS = 250;

export interface CommonOptions {
  json?: true;
  config?: string;
}

/** Adds the options that every command has. */
export function withCommonOptions(command: Command): Command {
  return command.option('--json', 'answer in JSON').option('-c, --config <file>', 'read this file instead of switchyard.yaml');
}

export function accountOption(): Option {
  return new Option('-a, --account <account>', 'name or id of the account');
}

export function projectOption(description: string): Option {
  return new Option('-p, --project <project>', description);
}

export function environmentOption(): Option {
  return new Option('-e, --env <environment>', 'live or test').choices(environments);
}

export interface EnvironmentOption {
  env: Environment;
}

/**
 * Reads a day such as 2026-11-21, which begins at midnight UTC, or a full ISO time.
 * @returns milliseconds since 1970
 */
export function parseTime(text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? parseExistingTime(text) : NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('Give a day of the calendar as 2026-11-21 or a time as 2026-11-21T10:00:00Z.');
  return time;
}

/**
 * Reads a span such as 90s, 30m, 24h or 7d.
 * @returns milliseconds
 */
export function parseSpan(text: string): number {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  if (unit === undefined) throw new InvalidArgumentError('Give a span as 90s, 30m, 24h or 7d.');
  return Number(count) * { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit]!;
}

/** Reads spans as parseSpan does, of at most so many milliseconds, which are whole days. */
export function spanUpTo(max: number): (text: string) => number {
  return (text) => {
    const span = parseSpan(text);
    if (span > max) throw new InvalidArgumentError(`Give at most ${max / 86_400_000}d.`);
    return span;
  };
}

/**
 * Reads a time to come: as parseTime does, or from now on as 12h, 90d.
 * @returns milliseconds since 1970
 */
export function parseExpiry(text: string): number {
  const time = /^\d{1,5}[smhd]$/.test(text) ? Date.now() + parseSpan(text) : parseTime(text);
  if (time <= Date.now()) throw new InvalidArgumentError('That is in the past.');
  return time;
}

/** Resolves when a change is in force at every gateway. */
export function seenEverywhere(): Promise<void> {
  return wait(SEEN_EVERYWHERE_MS);
}

export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** The time in UTC as people read it. */
export function shortTime(time: number | string | null | undefined): string | undefined {
  return time === undefined || time === null ? undefined : new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

/** A body of the administration API. @throws ApiError 400 invalid_request, which names the first wrong field */
export function body<T extends object>(dto: new () => T, fields: { readonly [Name in keyof T]?: T[Name] | undefined }): T {
  return dtoOf(dto, fields);
}

/** @throws CommandError where there is nothing */
export function known<T>(what: string, id: string, value: T | undefined): T {
  if (value === undefined) throw new CommandError(`there is no ${what} '${id}': see switchyard ${what}s list`);
  return value;
}
