import { started } from '../common/testing/started.js';
import { openDatabase } from '../database/open-database.js';
import type { Database } from '../database/database.js';
import { describePostgres } from '../database/testing/describe-engines.js';
import { TemporaryPostgres } from '../database/testing/temporary-postgres.js';
import { PostgresLimits } from './postgres-limits.js';
import { limitStoreLaws, SHORT_TTL } from './testing/limit-store-laws.js';

describePostgres('limits in PostgreSQL', () => {
  const databases: Database[] = [];
  const postgres = started(() => TemporaryPostgres.start());
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await postgres.stop();
  });

  const open = async () => {
    const database = await openDatabase({ data_dir: 'unused', database_url: postgres.url });
    databases.push(database);
    return new PostgresLimits(database, SHORT_TTL);
  };

  limitStoreLaws(open);

  it('forget what says nothing any more, and nothing else', async () => {
    const store = await open();
    const { db } = databases.at(-1)!;
    await db.deleteFrom('limit_bucket').execute();
    const rate = { perMinute: 60, burstSeconds: 10 };
    const asks = ['full', 'debt', 'new'].map((subject) => ({ subject, kind: 'tokens' as const, rate, need: 0, want: 0, back: 0 }));
    await store.buckets(asks.map((ask) => (ask.subject === 'debt' ? { ...ask, need: 1_000_000 } : ask)));
    await db
      .updateTable('limit_bucket')
      .set('at', (row) => row('at', '-', 7_200_000n))
      .where('subject', '!=', 'new')
      .execute();
    await store.sweep();
    const left = await db.selectFrom('limit_bucket').select('subject').orderBy('subject').execute();
    expect(left.map(({ subject }) => subject)).toEqual(['debt', 'new']);
  });
});
