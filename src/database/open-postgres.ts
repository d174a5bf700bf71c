import { Kysely, PostgresDialect } from 'kysely';
import { type CustomTypesConfig, Pool, types as standardTypes } from 'pg';
import type { EngineConnection } from './database.js';
import type { Schema } from './schema.js';
import { StoreError } from './store-error.js';

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
/** Beyond it a statement counts as failed, so that the store being stuck looks like the store being down. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** Other processes' changes are looked for so often. */
const POLL_INTERVAL_MS = 500;

/** int8, and numeric as sums of int8 are: bigint; the driver would give text. */
const BIGINT_TYPES = new Set([20, 21, 23, 1700]);

const types: CustomTypesConfig = {
  getTypeParser: (id: number, format?: unknown) =>
    BIGINT_TYPES.has(id) && format !== 'binary' ? BigInt : (standardTypes.getTypeParser(id, format as never) as never),
};

/** @throws StoreError unusable */
export async function openPostgres(databaseUrl: string, onChange: () => void): Promise<EngineConnection> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'switchyard',
    types,
  });
  // An idle connection that breaks is the pool's to replace; unheard, the event would end the process.
  pool.on('error', () => {});
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    throw new StoreError('unusable', `PostgreSQL cannot be reached: ${(error as Error).message}`, { cause: error });
  }
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const poll = setInterval(onChange, POLL_INTERVAL_MS).unref();
  const close = async () => {
    clearInterval(poll);
    await db.destroy();
  };
  return { engine: 'postgres', db, lockGateway() {}, announce: async () => {}, close };
}
