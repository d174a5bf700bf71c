import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configSchema } from '../../config/config.schema.js';
import type { Database } from '../database.js';
import { openDatabase } from '../open-database.js';

/** Real SQLite files for specs, in folders of their own. */
export class TemporaryStore {
  readonly dataDir = join(mkdtempSync(join(tmpdir(), 'switchyard-')), 'data');
  readonly #open: Database[] = [];

  get config() {
    return configSchema.parse({ store: { data_dir: this.dataDir } });
  }

  /** Each call is a connection of its own, as another process would have. */
  async open(): Promise<Database> {
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
