import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { ManualClock } from '../common/testing/manual-clock.js';
import { FreePages } from './free-pages.js';
import { TemporaryStore } from './testing/temporary-store.js';

describe('the file of the embedded store', () => {
  let store: TemporaryStore;
  let file: string;
  beforeEach(() => {
    store = new TemporaryStore();
    file = join(store.dataDir, 'switchyard.db');
  });
  afterEach(() => store.remove());

  async function sizes(): Promise<number[]> {
    const database = await store.open();
    const pages = new FreePages(database, new ManualClock());
    pages.onModuleInit();
    const { db } = database;
    const size = async () => {
      await sql`pragma wal_checkpoint(truncate)`.execute(db);
      return statSync(file).size;
    };
    await sql`create table large (bytes blob)`.execute(db);
    await sql`insert into large select randomblob(40000) from (with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
      select i from n)`.execute(db);
    const full = await size();
    await sql`delete from large`.execute(db);
    const emptied = await size();
    await pages.giveBack();
    pages.onApplicationShutdown();
    return [full, emptied, await size()];
  }

  it('shrinks when much was deleted, and keeps some room', async () => {
    const [full, emptied, after] = await sizes();
    expect(emptied).toBe(full);
    expect(after! / full!).toBeLessThan(0.3);
    expect(after).toBeGreaterThan(1_024 * 4_096);
  });
});
