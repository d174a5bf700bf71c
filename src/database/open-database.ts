import type { Clock } from '../common/time/clock.js';
import type { Config } from '../config/config.schema.js';
import { Database } from './database.js';
import { isUpToDate } from './is-up-to-date.js';
import { openSqlite } from './open-sqlite.js';

type StoreSettings = Pick<Config['store'], 'data_dir' | 'database_url'> & Partial<Pick<Config['store'], 'lease_ttl' | 'shared_data_dir'>>;

/** What `openAhead` has begun, by the settings. */
const ahead = new WeakMap<StoreSettings, Promise<Database>>();

/**
 * Begins to open the embedded store that `openDatabase` is going to be asked for with the same settings. A start is
 * 60 to 80 ms shorter when SQLite's thread starts while the application's modules are loaded (two cores, start of 1 s).
 */
export function openAhead(store: StoreSettings): void {
  if (store.database_url) return;
  const opening = open(store);
  // Whoever asks for it hears of a failure.
  opening.catch(() => undefined);
  ahead.set(store, opening);
}

/**
 * Opens the store that the configuration names and brings its schema up to date.
 * @param clock absent: the system's, as for a store that was opened ahead
 * @throws StoreError unusable or newer_schema; its message is one line for the operator
 */
export function openDatabase(store: StoreSettings, clock?: Clock): Promise<Database> {
  const opening = ahead.get(store);
  ahead.delete(store);
  return opening ?? open(store, clock);
}

async function open(store: StoreSettings, clock?: Clock): Promise<Database> {
  const connection = store.database_url
    ? await openPostgres(store.database_url, store.lease_ttl)
    : await openSqlite(store.data_dir, store.shared_data_dir, clock);
  const database = new Database(connection, clock);
  try {
    if (!(await isUpToDate(connection.db))) {
      const { migrate } = await import('./migrate.js');
      await migrate(connection.db, connection.engine);
    }
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
