import { Socket } from 'node:net';
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { type CustomTypesConfig, Pool, type PoolConfig, types as standardTypes } from 'pg';
import { systemClock } from '../common/time/clock.js';
import { AskersQueue } from './askers-queue.js';
import type { EngineConnection } from './database.js';
import { postgresIntegers } from './integers.js';
import { CHANNEL, PostgresListener } from './postgres-listener.js';
import { readLimits } from './read-limits.js';
import type { Schema } from './schema.js';
import { StoreError } from './store-error.js';

const MAX_CONNECTIONS = 10;
/** Callers that may wait for one of them. */
const MAX_WAITING = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** A statement that takes longer fails, so that a store that is stuck looks like one that is down. */
const STATEMENT_TIMEOUT_MS = 15_000;
/**
 * A connection on which nothing moves for longer is closed: its server should have answered, or given up the statement,
 * before. The pool closes idle ones earlier.
 */
const SILENCE_MS = 20_000;
/**
 * Rows stay locked for this part of a lease's life at most, so that gateways which wait for them still renew their
 * leases in time.
 */
const FROZEN_PARTS = 8;
/**
 * Limits of that time: a process that stands still must not hold up others, and one that is merely slow must not be cut
 * off.
 */
const FROZEN_MS = { max: 1_000, min: 100 };

const types: CustomTypesConfig = {
  getTypeParser: (id: number, format?: unknown) =>
    postgresIntegers.has(id) && format !== 'binary' ? BigInt : (standardTypes.getTypeParser(id, format as never) as never),
};

/** What the driver takes: an address, or a socket of this machine. Anything else is a host named `base` to it. */
const ADDRESS = /^(postgres(ql)?|socket):|^\//;

export interface PostgresLimits {
  /** Milliseconds after which a connection on which nothing moves is closed. */
  readonly silence?: number;
  /** Milliseconds that a lease lives. */
  readonly lease?: number;
}

/** @throws StoreError unusable */
export async function openPostgres(
  databaseUrl: string,
  { silence = SILENCE_MS, lease = Infinity }: PostgresLimits = {},
): Promise<EngineConnection> {
  if (!ADDRESS.test(databaseUrl))
    throw new StoreError('unusable', 'The address of PostgreSQL (DATABASE_URL or store.database_url) begins with postgresql://');
  const common = { connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true };
  const settings: PoolConfig = {
    ...common,
    // Idle connections keep no process alive that has nothing else to do: a start that fails ends at once.
    allowExitOnIdle: true,
    // pg's own timeout of a query would leave the connection in the pool, with the query still running on it.
    stream: () => {
      const socket = new Socket();
      return socket.setTimeout(silence, () => socket.destroy(new Error(`PostgreSQL has been silent for ${silence} ms`)));
    },
    // The server ends a transaction whose process was stopped or whose machine is gone: others wait for the rows that
    // it has locked.
    idle_in_transaction_session_timeout: Math.ceil(Math.max(FROZEN_MS.min, Math.min(FROZEN_MS.max, lease / FROZEN_PARTS))),
    application_name: 'switchyard',
    types,
  };
  const pool = poolOf({ ...settings, max: MAX_CONNECTIONS, statement_timeout: STATEMENT_TIMEOUT_MS });
  const reads = poolOf({
    ...settings,
    max: readLimits.connections.postgres,
    connectionTimeoutMillis: readLimits.patienceMs,
    statement_timeout: readLimits.timeMs,
    application_name: 'switchyard reads',
  });
  try {
    await pool.query('select 1');
  } catch (error) {
    await Promise.all([pool.end(), reads.end()]);
    throw new StoreError('unusable', `PostgreSQL cannot be reached: ${(error as Error).message}`, { cause: error });
  }
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: sharedPool(pool, MAX_WAITING) }) });
  let listener: PostgresListener | undefined;
  return {
    engine: 'postgres',
    db,
    reads: new Kysely<Schema>({ dialect: new PostgresDialect({ pool: sharedPool(reads, readLimits.waiting) }) }),
    lockGateway() {},
    watch(changes) {
      listener = new PostgresListener({ ...common, query_timeout: CONNECT_TIMEOUT_MS, application_name: 'switchyard listener' }, changes);
      listener.start();
    },
    raise: (topic) => sql`with raised as (update counter set value = value + 1 where name = ${topic} returning name, value)
      select value, pg_notify(${CHANNEL}, name || ' ' || value) from raised`,
    async close() {
      await listener?.stop();
      await Promise.all([db.destroy(), reads.end()]);
    },
  };
}

function poolOf(settings: PoolConfig): Pool {
  const pool = new Pool(settings);
  // The pool replaces an idle connection that breaks, and a query on a connection that breaks is rejected. Without a
  // listener the event would end the process in both cases.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Askers take turns. Callers are rejected where too many wait already, or when they have waited too long. */
function sharedPool(pool: Pool, most: number): PostgresPool {
  const { max, connectionTimeoutMillis: patience } = pool.options;
  const waiting = new AskersQueue<void>({ most, patience }, systemClock);
  let free = max;
  const give = (): void => {
    if (waiting.size > 0) waiting.serve();
    else free++;
  };
  return {
    options: pool.options,
    connect: async () => {
      if (free > 0) free--;
      else await waiting.wait();
      try {
        const client = await pool.connect();
        const release = client.release.bind(client);
        client.release = (error) => {
          release(error);
          give();
        };
        return client;
      } catch (error) {
        give();
        throw error;
      }
    },
    end: () => pool.end(),
  };
}
