import { Injectable } from '@nestjs/common';
import type { Config } from './config.schema.js';

/**
 * The configuration in force: an immutable snapshot, which a reload replaces as a whole. A request keeps the snapshot
 * that it began with.
 */
@Injectable()
export class ConfigService {
  #current: Config;
  readonly #checks = new Set<(config: Config) => void | Promise<void>>();
  readonly #listeners = new Set<(config: Config) => void>();

  constructor(config: Config) {
    this.#current = config;
  }

  get current(): Config {
    return this.#current;
  }

  /**
   * Brings another configuration into force.
   * @throws what a check throws (rejects); nothing has changed then
   */
  async replace(config: Config): Promise<void> {
    for (const check of this.#checks) await check(config);
    this.#current = config;
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
