import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../wire/json-object.js';
import type { Config } from './config.schema.js';
import { deepFreeze } from './deep-freeze.js';
import type { Path } from './schema-shape.js';

/** Sections and settings that are read only when the process starts. */
const restartSettings: readonly Path[] = [
  ['server', 'host'],
  ['server', 'port'],
  ['server', 'admin_port'],
  ['server', 'workers'],
  ['server', 'body_limit'],
  ['server', 'request_timeout'],
  ['server', 'keep_alive_timeout'],
  ['server', 'max_open_requests'],
  ['store'],
  ['keys', 'pepper'],
  ['limits', 'store'],
  ['routing', 'max_concurrency'],
  ['routing', 'max_queue'],
  ['routing', 'probe_interval'],
  ['observability', 'log_level'],
  ['modules'],
];

/**
 * Splits a new configuration.
 * @returns the part that can come into force now, and the names of the settings that wait for a restart
 */
export function withoutRestart(current: Config, next: Config): { config: Config; waiting: string[] } {
  const waiting = changes(current, next).filter((name) => restartSettings.some((path) => `${name}.`.startsWith(`${path.join('.')}.`)));
  const config: Sections = { ...next };
  for (const [section = '', name] of restartSettings) {
    const running = (current as Sections)[section];
    config[section] = name === undefined ? running : { ...named(config[section]), [name]: named(running)[name] };
  }
  return { config: deepFreeze(config as Config), waiting };
}

/** The names of the settings that differ, as `section.name`, or `section` where a section has no names. */
export function changes(current: Config, next: Config): string[] {
  return Object.keys(next).flatMap((section) => {
    const [before, after] = [(current as Sections)[section], (next as Sections)[section]];
    if (!isObject(after)) return isDeepStrictEqual(before, after) ? [] : [section];
    const names = [...new Set([...Object.keys(named(before)), ...Object.keys(after)])];
    return names.filter((name) => !isDeepStrictEqual(named(before)[name], after[name])).map((name) => `${section}.${name}`);
  });
}

type Sections = Record<string, unknown>;

function named(section: unknown): Record<string, unknown> {
  return isObject(section) ? section : {};
}
