import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../config/config.schema.js';
import type { Database } from '../database.js';
import { openDatabase } from '../open-database.js';
import { prepareStore } from './migrated-store.js';

/** A real store for specs: SQLite files in a folder of their own, or a database of a PostgreSQL. */
export class TemporaryStore {
  readonly dataDir = join(mkdtempSync(join(tmpdir(), 'switchyard-')), 'data');
  readonly #open: Database[] = [];

  constructor(private readonly databaseUrl?: string) {}

  /** Settings as a configuration file would have them. */
  get settings() {
    const { dataDir: data_dir, databaseUrl: database_url } = this;
    return database_url === undefined ? { store: { data_dir } } : { store: { data_dir, database_url }, keys: { pepper: 'p'.repeat(32) } };
  }

  get config() {
    return configSchema.parse(this.settings);
  }

  /** Each call opens a connection of its own, as another process would. */
  async open(): Promise<Database> {
    if (this.databaseUrl === undefined) await prepareStore(this.dataDir);
    const database = await openDatabase(this.config.store);
    this.#open.push(database);
    return database;
  }

  /** To be called after each spec. */
  async remove(): Promise<void> {
    await Promise.all(this.#open.map((database) => database.close()));
    rmSync(join(this.dataDir, '..'), { recursive: true, force: true });
  }
}
