import { type Command, InvalidArgumentError, Option } from 'commander';
import { environments, type Environment } from '../auth/principal.js';
import { formatCredits, parseCredits } from '../common/prices/credits.js';
import { parseExistingTime } from '../common/time/existing-time.js';
import { messageOf } from '../common/message-of.js';
import { dtoOf } from '../http/requests/dto.pipe.js';
import { CommandError } from './command-error.js';

const DAY_MS = 86_400_000;

export interface CommonOptions {
  json?: true;
  config?: string;
}

export interface AccountOption extends CommonOptions {
  account?: string;
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
  return Number(count) * { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS }[unit]!;
}

/**
 * How long what has been replaced goes on beside what replaces it; a day where nothing is said.
 * @param most milliseconds, which are whole days
 */
export function graceOption(what: string, most: number): Option {
  const days = `${most / DAY_MS}d`;
  return new Option('-g, --grace <span>', `how long the old ${what} goes on, at most ${days}`).default(DAY_MS, '24h').argParser((text) => {
    const span = parseSpan(text);
    if (span > most) throw new InvalidArgumentError(`Give at most ${days}.`);
    return span;
  });
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

/** Reads credits, at least 0. @returns them as they are written */
export function parseAmount(text: string): string {
  try {
    return formatCredits(parseCredits(text));
  } catch (error) {
    throw new InvalidArgumentError(`That is ${messageOf(error)}.`);
  }
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
