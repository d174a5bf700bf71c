import { Socket } from 'node:net';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type CustomTypesConfig, Pool, types as standardTypes } from 'pg';
import type { EngineConnection } from './database.js';
import { postgresIntegers } from './integers.js';
import { CHANNEL, PostgresListener } from './postgres-listener.js';
import type { Schema } from './schema.js';
import { StoreError } from './store-error.js';

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
/** Beyond it a statement counts as failed, so that the store being stuck looks like the store being down. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** Beyond it a connection on which nothing moves is given up: its server is to have answered or given up the statement before. Idle ones live shorter. */
const SILENCE_MS = 20_000;
/** Parts of a lease's life: gateways that wait for one another's rows are to have renewed theirs in time. */
const FROZEN_PARTS = 8;
/** Milliseconds that rows stay locked at most by a process that does nothing, and at least by one that is merely slow. */
const FROZEN_MS = { max: 1_000, min: 100 };

const types: CustomTypesConfig = {
  getTypeParser: (id: number, format?: unknown) =>
    postgresIntegers.has(id) && format !== 'binary' ? BigInt : (standardTypes.getTypeParser(id, format as never) as never),
};

export interface PostgresLimits {
  /** Milliseconds after which a connection on which nothing moves is broken off. */
  readonly silence?: number;
  /** Milliseconds that a lease lives. */
  readonly lease?: number;
}

/** @throws StoreError unusable */
export async function openPostgres(
  databaseUrl: string,
  { silence = SILENCE_MS, lease = Infinity }: PostgresLimits = {},
): Promise<EngineConnection> {
  const common = { connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true };
  const pool = new Pool({
    ...common,
    max: MAX_CONNECTIONS,
    // pg's own limit on a query would leave the connection in the pool, with the query on it.
    stream: () => {
      const socket = new Socket();
      return socket.setTimeout(silence, () => socket.destroy(new Error(`PostgreSQL has been silent for ${silence} ms`)));
    },
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // The server ends the transaction of a process that was stopped in its midst, or whose machine is gone: others wait for what it has locked.
    idle_in_transaction_session_timeout: Math.ceil(Math.max(FROZEN_MS.min, Math.min(FROZEN_MS.max, lease / FROZEN_PARTS))),
    application_name: 'switchyard',
    types,
  });
  // A connection that breaks is the pool's to replace where it is idle, and fails its query where it is not; unheard, the event would end the
  // process in both cases.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    throw new StoreError('unusable', `PostgreSQL cannot be reached: ${(error as Error).message}`, { cause: error });
  }
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  let listener: PostgresListener | undefined;
  return {
    engine: 'postgres',
    db,
    lockGateway() {},
    watch(changes) {
      listener = new PostgresListener({ ...common, query_timeout: CONNECT_TIMEOUT_MS, application_name: 'switchyard listener' }, changes);
      listener.start();
    },
    raise: (topic) => sql`with raised as (update counter set value = value + 1 where name = ${topic} returning name, value)
      select value, pg_notify(${CHANNEL}, name || ' ' || value) from raised`,
    async close() {
      await listener?.stop();
      await db.destroy();
    },
  };
}
