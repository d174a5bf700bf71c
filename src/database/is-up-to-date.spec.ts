import { sql } from 'kysely';
import { isUpToDate } from './is-up-to-date.js';
import { describeStores } from './testing/describe-engines.js';
import type { TemporaryStore } from './testing/temporary-store.js';

describeStores('a store', (create) => {
  let store: TemporaryStore;
  beforeAll(async () => {
    store = await create();
  });
  afterAll(() => store.remove());

  it('is up to date as soon as it was opened', async () => {
    const { db } = await store.open();
    expect(await isUpToDate(db)).toBe(true);
  });

  it('is not without a migration, or with one of a newer version, or without any', async () => {
    const { db } = await store.open();
    const rename = (from: string, to: string) => sql`update kysely_migration set name = ${to} where name = ${from}`.execute(db);
    await rename('0001-first-schema', '9999-future');
    expect(await isUpToDate(db)).toBe(false);
    await rename('9999-future', '0001-first-schema');
    expect(await isUpToDate(db)).toBe(true);
    await sql`delete from kysely_migration where name = '0001-first-schema'`.execute(db);
    expect(await isUpToDate(db)).toBe(false);
    await sql`drop table kysely_migration`.execute(db);
    expect(await isUpToDate(db)).toBe(false);
  });
});
