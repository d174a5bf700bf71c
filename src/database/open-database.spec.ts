import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { started, startedEach } from '../common/testing/started.js';
import { openAhead, openDatabase } from './open-database.js';
import { TemporaryStore } from './testing/temporary-store.js';
import { isUpToDate } from './is-up-to-date.js';
import { describeStores } from './testing/describe-engines.js';

describe('a store that is opened ahead', () => {
  const temporary = startedEach(() => new TemporaryStore(), 'remove');

  it('is open at once, and is what the first gets who asks for it with these settings', async () => {
    const { store } = temporary.config;
    openAhead(store);
    expect(existsSync(join(temporary.dataDir, 'switchyard.db'))).toBe(true);
    const database = await openDatabase(store);
    await database.close();
    // SQLite removes it when the last connection is closed: there was no other.
    expect(existsSync(join(temporary.dataDir, 'switchyard.db-wal'))).toBe(false);
    await expect((await openDatabase(store)).close()).resolves.toBeUndefined();
  });

  it('tells why it cannot be opened when it is asked for', async () => {
    const { store } = temporary.config;
    mkdirSync(join(temporary.dataDir, '..'), { recursive: true });
    writeFileSync(temporary.dataDir, 'a file where the folder should be');
    openAhead(store);
    await new Promise((resolve) => setImmediate(resolve));
    await expect(openDatabase(store)).rejects.toMatchObject({ name: 'StoreError', kind: 'unusable' });
  });

  // Linux alone tells which locks there are.
  (existsSync('/proc/locks') ? it : it.skip)('keeps the locks of a store that this process opens twice, and closes once', async () => {
    const { store } = temporary.config;
    const first = await openDatabase(store);
    const { ino } = statSync(join(temporary.dataDir, 'switchyard.db'));
    const locks = () =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter((line) => line.includes(`:${ino} `)).length;
    const before = locks();
    expect(before).toBeGreaterThan(0);
    await (await openDatabase(store)).close();
    expect(locks()).toBe(before);
    await first.close();
  });
});

describe('a store at PostgreSQL', () => {
  it.each(['db.example.com', 'a password', 'mysql://user:secret@db.example.com/name'])(
    'is at no address such as %s',
    async (database_url) => {
      await expect(openDatabase({ data_dir: 'unused', database_url })).rejects.toMatchObject({
        kind: 'unusable',
        message: 'The address of PostgreSQL (DATABASE_URL or store.database_url) begins with postgresql://',
      });
    },
  );
});

describeStores('a store', (create) => {
  const store = started(create, 'remove');

  it('is up to date as soon as it was opened', async () => {
    const { db } = await store.open();
    expect(await isUpToDate(db)).toBe(true);
  });

  it('is not without a migration, or with one of a newer version, or without any', async () => {
    const { db } = await store.open();
    const rename = (from: string, to: string) => sql`update kysely_migration set name = ${to} where name = ${from}`.execute(db);
    await rename('0001-schema', '9999-future');
    expect(await isUpToDate(db)).toBe(false);
    await rename('9999-future', '0001-schema');
    expect(await isUpToDate(db)).toBe(true);
    await sql`delete from kysely_migration where name = '0001-schema'`.execute(db);
    expect(await isUpToDate(db)).toBe(false);
    await sql`drop table kysely_migration`.execute(db);
    expect(await isUpToDate(db)).toBe(false);
  });
});
