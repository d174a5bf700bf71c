import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type ModelSwitch, ModelSwitchStore } from './model-switch-store.js';

/** The switches in force, kept in memory and up to date with the store. */
@Injectable()
export class ModelSwitches implements OnModuleInit {
  readonly #listeners = new Set<() => void>();
  #all: readonly ModelSwitch[] = [];

  constructor(
    private readonly database: Database,
    private readonly store: ModelSwitchStore,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.database.follow('model_switch', () => this.#read());
  }

  get all(): readonly ModelSwitch[] {
    return this.#all;
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #read(): Promise<void> {
    const all = await this.store.list();
    if (isDeepStrictEqual(all, this.#all)) return;
    this.#all = all;
    for (const listener of this.#listeners) listener();
  }
}
