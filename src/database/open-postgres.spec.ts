import { sql } from 'kysely';
import type { Database } from './database.js';
import { openDatabase } from './open-database.js';
import { openPostgres } from './open-postgres.js';
import { describePostgres } from './testing/describe-engines.js';
import { TemporaryPostgres } from './testing/temporary-postgres.js';

describePostgres('a connection to PostgreSQL that breaks', () => {
  let postgres: TemporaryPostgres;
  let database: Database;
  let operator: Database;
  /** Processes of the server. */
  const stopped: number[] = [];
  beforeAll(async () => {
    postgres = await TemporaryPostgres.start();
    const store = { data_dir: 'unused', database_url: postgres.url };
    database = await openDatabase(store);
    operator = await openDatabase(store);
  }, 60_000);
  afterEach(() => {
    for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
  });
  afterAll(async () => {
    await Promise.all([database.close(), operator.close()]);
    await postgres.stop();
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

  it('is one on which nothing moves, and the pool replaces it', async () => {
    const connection = await openPostgres(postgres.url, 300);
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
