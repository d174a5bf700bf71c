import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Engine } from './engine.js';
import { schema } from './migrations/0001-schema.js';
import type { Schema } from './schema.js';
import { StoreError } from './store-error.js';

/** Milliseconds that a starting process may pause within the migration's transaction. */
const PATIENCE_MS = 60_000;

/** Migrations go forward only. Once one is released, neither its name nor its place in the order changes. */
const migrations = (engine: Engine): Record<string, Migration> => ({ '0001-schema': schema(engine) });

/**
 * Brings the schema up to date, in one transaction under a lock, so that of processes that start together one does it.
 * @throws StoreError older_schema or newer_schema, where another version has made the store, or unusable
 */
export async function migrate(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const known = migrations(engine);
  await requireKnown(db, known);
  const { error } = await patiently(db, engine, (one) => {
    const migrator = new Migrator({ db: one, provider: { getMigrations: async () => known } });
    return migrator.migrateToLatest();
  });
  if (error) {
    await requireKnown(db, known);
    throw new StoreError('unusable', `The store's schema could not be brought up to date: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Works on one connection whose transaction may pause while the process is busy with its start: it locks no rows that
 * others need.
 */
async function patiently<T>(db: Kysely<Schema>, engine: Engine, work: (one: Kysely<Schema>) => Promise<T>): Promise<T> {
  if (engine !== 'postgres') return work(db);
  return db.connection().execute(async (one) => {
    await sql`set idle_in_transaction_session_timeout = ${sql.lit(PATIENCE_MS)}`.execute(one);
    try {
      return await work(one);
    } finally {
      // A connection that broke has nothing to reset, and its error was reported.
      await sql`reset idle_in_transaction_session_timeout`.execute(one).catch(() => undefined);
    }
  });
}

async function requireKnown(db: Kysely<Schema>, known: Record<string, Migration>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === 'kysely_migration')) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const [first] = Object.keys(known);
  if (rows.length > 0 && !rows.some(({ name }) => name === first))
    throw new StoreError(
      'older_schema',
      'The store was made by a build from before the first release: start with an empty folder or database',
    );
  const unknown = rows.find(({ name }) => !Object.hasOwn(known, name));
  if (unknown)
    throw new StoreError('newer_schema', `The store was written by a newer version of Switchyard (${unknown.name}): update this one`);
}
