import { Injectable } from '@nestjs/common';
import type { Config } from './config.schema.js';

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
 * that it began with.
 */
@Injectable()
export class ConfigService {
  #current: Config;
  #revision = 1;
  #since = Date.now();
  readonly #checks = new Set<(config: Config) => void | Promise<void>>();
  readonly #listeners = new Set<(config: Config) => void>();

  constructor(config: Config) {
    this.#current = config;
  }

  get current(): Config {
    return this.#current;
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
   * Brings another configuration into force.
   * @throws what a check throws (rejects); nothing has changed then
   */
  async replace(config: Config): Promise<void> {
    for (const check of this.#checks) await check(config);
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
