import type { Config } from '../config/config.schema.js';
import { Database } from './database.js';
import { migrate } from './migrate.js';
import { openSqlite } from './open-sqlite.js';

type StoreSettings = Pick<Config['store'], 'data_dir' | 'database_url'> & Partial<Pick<Config['store'], 'lease_ttl' | 'shared_data_dir'>>;

/**
 * Opens the store that the configuration names and brings its schema up to date.
 * @throws StoreError unusable or newer_schema; its message is one line for the operator
 */
export async function openDatabase(store: StoreSettings): Promise<Database> {
  const connection = store.database_url
    ? await openPostgres(store.database_url, store.lease_ttl)
    : await openSqlite(store.data_dir, store.shared_data_dir);
  const database = new Database(connection);
  try {
    await migrate(connection.db, connection.engine);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Loads the driver only where it is needed: the embedded default does without it. */
async function openPostgres(databaseUrl: string, lease: number | undefined) {
  const postgres = await import('./open-postgres.js');
  return postgres.openPostgres(databaseUrl, { lease });
}
