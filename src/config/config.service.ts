import { Injectable } from '@nestjs/common';
import type { Config } from './config.schema.js';
import { deepFreeze } from './deep-freeze.js';

/** How reading the configuration again has ended. */
export interface ReloadReport {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Why it could not be used, without values; empty where it could. */
  readonly problems: readonly string[];
  /** The names of what has changed and waits for a restart. */
  readonly waiting: readonly string[];
}

/**
 * The configuration in force: an immutable snapshot, which a reload replaces as a whole. A request keeps the snapshot
 * that it began with. It is what the file says, with the providers of the store.
 */
@Injectable()
export class ConfigService {
  #file: Config;
  #stored: Config['providers'] = {};
  #current: Config;
  #last: Promise<void> = Promise.resolve();
  #revision = 1;
  #since = Date.now();
  readonly #checks = new Set<(config: Config) => void | Promise<void>>();
  readonly #listeners = new Set<(config: Config) => void>();

  constructor(config: Config) {
    this.#file = config;
    this.#current = config;
  }

  get current(): Config {
    return this.#current;
  }

  /** What file and environment say. */
  get file(): Config {
    return this.#file;
  }

  /** The entries of the store that can be used. Where the file has one of the same id, that is in force. */
  get stored(): Config['providers'] {
    return this.#stored;
  }

  /** The last time that this process has read it again; undefined: never. */
  lastReload: ReloadReport | undefined;

  /** As `settingSources`; undefined where the process has not said it. */
  sources: ReadonlyMap<string, string> | undefined;

  /** How many configurations this process has had, with this one. */
  get revision(): number {
    return this.#revision;
  }

  /** Since when it is in force, in milliseconds since 1970. */
  get since(): number {
    return this.#since;
  }

  /**
   * Brings what another file says into force.
   * @throws what a check throws (rejects); nothing has changed then
   */
  replace(file: Config): Promise<void> {
    return this.#inTurn(() => this.#bring(file, this.#stored));
  }

  /**
   * Brings other providers of the store into force.
   * @throws as replace
   */
  replaceStored(stored: Config['providers']): Promise<void> {
    return this.#inTurn(() => this.#bring(this.#file, stored));
  }

  /** One change after the other: the checks of the second see what the first has led to. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(change);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #bring(file: Config, stored: Config['providers']): Promise<void> {
    const config = withStored(file, stored);
    for (const check of this.#checks) await check(config);
    this.#file = file;
    this.#stored = stored;
    this.#current = config;
    this.#revision++;
    this.#since = Date.now();
    for (const listener of this.#listeners) listener(config);
  }

  /**
   * Calls `check` before each replacement, until the returned function is called. A check that throws or rejects
   * prevents the replacement.
   */
  beforeChange(check: (config: Config) => void | Promise<void>): () => void {
    this.#checks.add(check);
    return () => this.#checks.delete(check);
  }

  /** Calls `listener` after each replacement, until the returned function is called. */
  onChange(listener: (config: Config) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Offers of the file come first. */
function withStored(file: Config, stored: Config['providers']): Config {
  const further = Object.entries(stored).filter(([id]) => !Object.hasOwn(file.providers, id));
  if (further.length === 0) return file;
  return deepFreeze({ ...file, providers: { ...file.providers, ...Object.fromEntries(further) } });
}
