import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from './database.js';
import { openDatabase } from './open-database.js';
import { openPostgres } from './open-postgres.js';
import { describePostgres } from './testing/describe-engines.js';
import { TemporaryPostgres } from './testing/temporary-postgres.js';

/** Milliseconds for which a process does nothing: longer than a transaction lives that has locked something. */
const FROZEN = 1_000;

describePostgres('a connection to PostgreSQL that breaks', () => {
  let postgres: TemporaryPostgres;
  let database: Database;
  let operator: Database;
  /** Processes of the server. */
  const stopped: number[] = [];
  beforeAll(async () => {
    postgres = await TemporaryPostgres.start();
    const store = { data_dir: 'unused', database_url: postgres.url };
    database = await openDatabase({ ...store, lease_ttl: 1_600 });
    operator = await openDatabase(store);
  });
  afterEach(() => {
    for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
  });
  afterAll(async () => {
    await Promise.all([database.close(), operator.close()]);
    await postgres.stop();
  });

  it('is none where a start takes its time', async () => {
    const database_url = await postgres.createDatabase();
    const busy = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150), 80);
    const opened = openDatabase({ data_dir: 'unused', database_url, lease_ttl: 100 });
    const started = await opened.finally(() => clearInterval(busy));
    const { rows } = await sql`select current_setting('idle_in_transaction_session_timeout') as limit`.execute(started.db);
    expect(rows).toEqual([{ limit: '100ms' }]);
    await started.close();
  });

  it('fails its transaction and nothing else, between two statements as well', async () => {
    const ended = database.transaction(async (trx) => {
      const { rows } = await sql<{ pid: bigint }>`select pg_backend_pid() as pid`.execute(trx);
      await sql`select pg_terminate_backend(${rows[0]!.pid}::int, 5000)`.execute(operator.db);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return sql`select 1`.execute(trx);
    });
    await expect(ended).rejects.toThrow('connection error');
    expect((await sql<{ one: bigint }>`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1n }]);
  });

  it('is one whose process does nothing in the midst of a transaction: others do not wait until it goes on', async () => {
    const raise = (db: typeof database.db) => sql`update counter set value = value + 1 where name = 'recall'`.execute(db);
    let locked!: () => void;
    const held = new Promise<void>((resolve) => (locked = resolve));
    const others = held.then(() => raise(operator.db));
    const frozen = database.transaction(async (trx) => {
      await raise(trx);
      locked();
      await others;
      return sql`select 1`.execute(trx);
    });
    await expect(frozen).rejects.toBeInstanceOf(Error);
    await expect(others).resolves.toMatchObject({ numAffectedRows: 1n });
  });

  it('is none that only reads', async () => {
    const read = database.snapshot(async (trx) => {
      await delay(FROZEN); // PostgreSQL ends what is silent for so long, by its own clock.
      return sql<{ one: bigint }>`select 1 as one`.execute(trx);
    });
    expect((await read).rows).toEqual([{ one: 1n }]);
  });

  it.each([
    [1, '100ms'],
    [2_001, '251ms'],
    [30_000, '1s'],
    [undefined, '1s'],
  ])('lets nobody wait long: where leases live %s ms, %s', async (lease_ttl, limit) => {
    const opened = await openDatabase({ data_dir: 'unused', database_url: postgres.url, lease_ttl });
    try {
      const { rows } = await sql<Record<string, string>>`show idle_in_transaction_session_timeout`.execute(opened.db);
      expect(rows).toEqual([{ idle_in_transaction_session_timeout: limit }]);
    } finally {
      await opened.close();
    }
  });

  it('is one on which nothing moves, and the pool replaces it', async () => {
    const connection = await openPostgres(postgres.url, { silence: 300 });
    const { db } = connection;
    try {
      const silent = Array.from({ length: 10 }, () =>
        db.transaction().execute(async (trx) => {
          const { rows } = await sql<{ pid: bigint }>`select pg_backend_pid() as pid`.execute(trx);
          stopped.push(Number(rows[0]!.pid));
          process.kill(stopped.at(-1)!, 'SIGSTOP');
          return sql`select 1`.execute(trx);
        }),
      );
      for (const ended of await Promise.allSettled(silent)) expect(ended).toMatchObject({ status: 'rejected' });
      expect(new Set(stopped).size).toBe(10);
      expect((await sql<{ one: bigint }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1n }]);
    } finally {
      await connection.close();
    }
  });
});
