import { type Command, InvalidArgumentError, Option } from 'commander';
import { environments, type Environment } from '../auth/principal.js';

/** Gateways look for changes more often than this, so that a change is in force by the time its command answers. */
export const SEEN_EVERYWHERE_MS = 250;

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
  const time = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('Give a day as 2026-11-21 or a time as 2026-11-21T10:00:00Z.');
  return time;
}

/**
 * Reads a time to come: as parseTime does, or from now on as 12h, 90d.
 * @returns milliseconds since 1970
 */
export function parseExpiry(text: string): number {
  const span = /^(\d{1,5})([hd])$/.exec(text);
  const time = span ? Date.now() + Number(span[1]) * (span[2] === 'h' ? 3_600_000 : 86_400_000) : parseTime(text);
  if (time <= Date.now()) throw new InvalidArgumentError('That is in the past.');
  return time;
}

export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** The time in UTC as people read it. */
export function shortTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : isoTime(time).slice(0, 16).replace('T', ' ');
}
