import { isDeepStrictEqual } from 'node:util';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type ModelSwitch, ModelSwitchStore } from './model-switch-store.js';

/** The switches in force, kept in memory and up to date with the store. */
@Injectable()
export class ModelSwitches implements OnModuleInit {
  readonly #logger = new Logger(ModelSwitches.name);
  readonly #listeners = new Set<() => void>();
  #all: readonly ModelSwitch[] = [];
  #refresh: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly store: ModelSwitchStore,
  ) {}

  async onModuleInit(): Promise<void> {
    this.#all = await this.store.list();
    this.database.onChange(() => this.refresh());
  }

  get all(): readonly ModelSwitch[] {
    return this.#all;
  }

  /** Calls back after a change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when everything committed before the call is in force. Never rejects. */
  refresh(): Promise<void> {
    this.#refresh = this.#refresh
      .then(() => this.#read())
      .catch((error: unknown) => this.#logger.warn(`Switches could not be read, those in force stay: ${(error as Error).message}`));
    return this.#refresh;
  }

  async #read(): Promise<void> {
    const all = await this.store.list();
    if (isDeepStrictEqual(all, this.#all)) return;
    this.#all = all;
    for (const listener of this.#listeners) listener();
  }
}
