import { Injectable } from '@nestjs/common';
import type { Config } from './config.schema.js';

/** The configuration in force: an immutable snapshot, replaced whole on reload. A request keeps the snapshot it began with. */
@Injectable()
export class ConfigService {
  #current: Config;
  readonly #checks = new Set<(config: Config) => void>();
  readonly #listeners = new Set<(config: Config) => void>();

  constructor(config: Config) {
    this.#current = config;
  }

  get current(): Config {
    return this.#current;
  }

  /** @throws what a check throws; then nothing has changed. */
  replace(config: Config): void {
    for (const check of this.#checks) check(config);
    this.#current = config;
    for (const listener of this.#listeners) listener(config);
  }

  /** Asks before each replacement, which does not happen if it throws, until the returned function is called. */
  beforeChange(check: (config: Config) => void): () => void {
    this.#checks.add(check);
    return () => this.#checks.delete(check);
  }

  /** Calls back after each replacement, until the returned function is called. */
  onChange(listener: (config: Config) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
