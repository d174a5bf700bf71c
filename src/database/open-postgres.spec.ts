import { sql } from 'kysely';
import type { Database } from './database.js';
import { openDatabase } from './open-database.js';
import { describePostgres } from './testing/describe-engines.js';
import { TemporaryPostgres } from './testing/temporary-postgres.js';

describePostgres('a connection to PostgreSQL that breaks', () => {
  let postgres: TemporaryPostgres;
  let database: Database;
  let operator: Database;
  beforeAll(async () => {
    postgres = await TemporaryPostgres.start();
    const store = { data_dir: 'unused', database_url: postgres.url };
    database = await openDatabase(store);
    operator = await openDatabase(store);
  }, 60_000);
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
});
