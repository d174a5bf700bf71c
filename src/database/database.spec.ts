import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { jest } from '@jest/globals';
import { sql } from 'kysely';
import { startedEach } from '../common/testing/started.js';
import { openDatabase } from './open-database.js';
import { runBatch } from './run-batch.js';
import { StoreError, TakenError, unlessAway, unlessTaken } from './store-error.js';
import { TemporaryStore } from './testing/temporary-store.js';
import { ApiError } from '../common/api-error.js';
import { SqliteError } from './sqlite-client.js';

const SQLITE_CONSTRAINT_CHECK = 275;

describe('the embedded store', () => {
  const store = startedEach(() => new TemporaryStore(), 'remove');

  const account = (id: string) => ({ id, name: id, kind: 'customer' as const, created_at: 1 });

  it('belongs to its owner alone', async () => {
    const { db } = await store.open();
    await db.insertInto('account').values(account('a')).execute();
    expect(statSync(store.dataDir).mode & 0o777).toBe(0o700);
    for (const file of ['switchyard.db', 'switchyard.db-wal', 'switchyard.db-shm'])
      expect(statSync(join(store.dataDir, file)).mode & 0o777).toBe(0o600);
  });

  it('is durable, checks references and keeps what it has when it is opened again', async () => {
    const first = await store.open();
    await first.db.insertInto('account').values(account('a')).execute();
    const { rows } = await sql`select (select synchronous from pragma_synchronous) as synchronous,
      (select journal_mode from pragma_journal_mode) as journal_mode, (select foreign_keys from pragma_foreign_keys) as foreign_keys`.execute(
      first.db,
    );
    expect(rows).toEqual([{ synchronous: 2n, journal_mode: 'wal', foreign_keys: 1n }]);
    await first.close();
    const second = await store.open();
    expect(await second.db.selectFrom('account').select('id').where('kind', '=', 'customer').execute()).toEqual([{ id: 'a' }]);
  });

  it('runs transactions one after the other, and undoes one that throws', async () => {
    const database = await store.open();
    await database.db.insertInto('counter').values({ name: 'n', value: 0 }).execute();
    const increment = () =>
      database.transaction(async (trx) => {
        const { value } = await trx.selectFrom('counter').select('value').where('name', '=', 'n').executeTakeFirstOrThrow();
        await trx
          .updateTable('counter')
          .set({ value: value + 1n })
          .where('name', '=', 'n')
          .execute();
      });
    const failing = () =>
      database.transaction(async (trx) => {
        await trx.updateTable('counter').set({ value: -1 }).where('name', '=', 'n').execute();
        throw new Error('undo');
      });
    const results = await Promise.allSettled(Array.from({ length: 60 }, (_, index) => (index % 3 === 2 ? failing() : increment())));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(20);
    expect(await database.db.selectFrom('counter').select('value').where('name', '=', 'n').executeTakeFirst()).toEqual({ value: 40n });
  });

  it('runs a batch whole or not at all', async () => {
    const database = await store.open();
    const insert = (id: string) => database.db.insertInto('account').values(account(id)).returning('id');
    const results = await database.batch([insert('a'), insert('b')]);
    expect(results.map(({ rows }) => rows)).toEqual([[{ id: 'a' }], [{ id: 'b' }]]);
    await expect(unlessTaken('taken', () => database.batch([insert('c'), insert('a')]))).rejects.toThrow(TakenError);
    expect(await database.db.selectFrom('account').select('id').where('id', '=', 'c').execute()).toEqual([]);
    expect(await database.transaction((trx) => runBatch(trx, []))).toEqual([]);
  });

  it('serves two processes at once without losing an update', async () => {
    const [one, two] = [await store.open(), await store.open()];
    await one.db.insertInto('counter').values({ name: 'n', value: 0 }).execute();
    const increment = (database: typeof one) =>
      database.transaction(async (trx) => {
        const { value } = await trx.selectFrom('counter').select('value').where('name', '=', 'n').executeTakeFirstOrThrow();
        await trx
          .updateTable('counter')
          .set({ value: value + 1n })
          .where('name', '=', 'n')
          .execute();
      });
    await Promise.all(Array.from({ length: 100 }, (_, index) => increment(index % 2 ? one : two)));
    expect(await two.db.selectFrom('counter').select('value').where('name', '=', 'n').executeTakeFirst()).toEqual({ value: 100n });
  });

  it('brings the schema up to date once, however many processes start together', async () => {
    const databases = await Promise.all([1, 2, 3].map(() => openDatabase(store.config.store)));
    expect(await databases[2]!.db.selectFrom('account').select('id').where('kind', '=', 'system').orderBy('id').execute()).toEqual([
      { id: 'system:grants' },
      { id: 'system:revenue' },
    ]);
    await Promise.all(databases.map((database) => database.close()));
  });

  it('refuses a schema that a newer version has written', async () => {
    const database = await store.open();
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', '2026')`.execute(database.db);
    await expect(store.open()).rejects.toMatchObject({
      name: 'StoreError',
      kind: 'newer_schema',
      message: 'The store was written by a newer version of Switchyard (9999-future): update this one',
    });
  });

  it('rejects a schema of a build from before the first release, and changes nothing', async () => {
    const database = await store.open();
    await sql`update kysely_migration set name = '0001-first-schema'`.execute(database.db);
    await expect(store.open()).rejects.toMatchObject({
      kind: 'older_schema',
      message: 'The store was made by a build from before the first release: start with an empty folder or database',
    });
    await sql`update kysely_migration set name = '0001-schema'`.execute(database.db);
  });

  it('says in one line that its folder cannot be used', async () => {
    mkdirSync(join(store.dataDir, '..'), { recursive: true });
    writeFileSync(store.dataDir, 'a file where the folder should be');
    const error = await openDatabase(store.config.store).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ kind: 'unusable' });
    expect((error as Error).message).toMatch(/^The store in \S+ cannot be opened: [^\n]+$/);
  });

  it('says in one line that the file is no database', async () => {
    mkdirSync(store.dataDir);
    writeFileSync(join(store.dataDir, 'switchyard.db'), 'certainly not a database, and longer than a header '.repeat(100));
    await expect(store.open()).rejects.toMatchObject({ kind: 'unusable', message: expect.stringContaining('file is not a database') });
  });

  it('says in one line that the file may not be written to', async () => {
    const { db } = await store.open();
    // SQLite refuses then as where the user may not write to the file, and root may write to every file.
    await sql`pragma query_only = on`.execute(db);
    const file = join(store.dataDir, 'switchyard.db');
    await expect(db.insertInto('account').values(account('a')).execute()).rejects.toMatchObject({
      name: 'StoreError',
      kind: 'unusable',
      message: `The store in ${store.dataDir} cannot be written to: attempt to write a readonly database. Let this user write to ${file}.`,
    });
  });

  it('lets one gateway in, and the next when that one has gone', async () => {
    const [one, two] = [await store.open(), await store.open()];
    one.lockGateway();
    expect(() => two.lockGateway()).toThrow(expect.objectContaining({ kind: 'in_use' }));
    await one.close();
    two.lockGateway();
  });

  it('replaces its thread when that ends, undoes what was not committed and runs nothing of it alone', async () => {
    const database = await store.open();
    const threads = jest.spyOn(Worker.prototype, 'postMessage');
    await database.db.insertInto('counter').values({ name: 'n', value: 0 }).execute();
    const thread = threads.mock.contexts[0] as Worker;
    threads.mockRestore();
    const cut = database.transaction(async (trx) => {
      await trx.updateTable('counter').set({ value: 1 }).where('name', '=', 'n').execute();
      await thread.terminate();
      const goOn = () => trx.updateTable('counter').set({ value: 2 }).where('name', '=', 'n').execute();
      const replaced = () =>
        goOn().then(
          () => true,
          ({ message }: Error) => !message.startsWith('The store does not answer'),
        );
      while (!(await replaced())) await delay(5);
      await goOn();
    });
    await expect(cut).rejects.toThrow('the transaction was lost');
    expect(await database.db.selectFrom('counter').select('value').where('name', '=', 'n').executeTakeFirst()).toEqual({ value: 0n });
    await database.db.updateTable('counter').set({ value: 3 }).where('name', '=', 'n').execute();
    expect(await database.db.selectFrom('counter').select('value').where('name', '=', 'n').executeTakeFirst()).toEqual({ value: 3n });
  });

  it('answers unavailable once it is closed', async () => {
    const database = await store.open();
    await database.close();
    await expect(database.db.selectFrom('account').selectAll().execute()).rejects.toThrow('destroyed');
  });

  it('refuses what may not be: an overdrawn customer, a changed transfer, a key of the other environment', async () => {
    const { db } = await store.open();
    await db.insertInto('account').values(account('a')).execute();
    const balance = { account_id: 'a', environment: 'live' as const, kind: 'customer' as const, posted: 10, reserved: 0 };
    await db.insertInto('balance').values(balance).execute();
    const overdraw = db.updateTable('balance').set({ reserved: 11 }).where('account_id', '=', 'a').execute();
    const { code } = (await overdraw.catch((error: unknown) => error)) as { code: unknown };
    expect(code).toBe(SQLITE_CONSTRAINT_CHECK);

    const transfer = {
      id: 't',
      environment: 'live' as const,
      debit_account_id: 'system:grants',
      credit_account_id: 'a',
      amount: 10,
      kind: 'grant',
      created_at: 1,
    };
    await db.insertInto('transfer').values(transfer).execute();
    await expect(db.updateTable('transfer').set({ amount: 11 }).execute()).rejects.toThrow('never changed');
    await expect(db.deleteFrom('transfer').execute()).rejects.toThrow('never changed');
    await expect(
      db
        .insertInto('transfer')
        .values({ ...transfer, id: 'u', environment: 'test' })
        .execute(),
    ).rejects.toThrow('FOREIGN KEY');
  });
});

const coded = (code: string) => Object.assign(new Error(`as pg says it: ${code}`), { code });

describe('unlessAway', () => {
  const thrown = async (error: Error): Promise<unknown> => {
    try {
      return await unlessAway(async () => {
        throw error;
      });
    } catch (caught) {
      return caught;
    }
  };

  /** With what it says as its name. */
  const named = (errors: readonly Error[]) => errors.map((error) => [error.message, error] as const);

  it.each(
    named([
      new StoreError('unavailable', 'The store does not answer'),
      coded('ECONNREFUSED'),
      coded('ENOENT'),
      // Too many connections, a statement that took too long, an end by the operator, a process that stood still.
      ...['53300', '57014', '57P01', '25P03', '08006'].map(coded),
      new Error('Connection terminated unexpectedly'),
      new Error('Client has encountered a connection error and is not queryable'),
      new Error('timeout exceeded when trying to connect'),
      new SqliteError('database is locked', 261),
      new SqliteError('database or disk is full', 13),
      new SqliteError('disk I/O error', 778),
    ]),
  )('says of %s that the store does not answer', async (_message, error) => {
    const answered = await thrown(error);
    expect(answered).toBeInstanceOf(ApiError);
    expect(answered).toMatchObject({ code: 'service_unavailable', cause: error });
  });

  it.each(
    named([
      coded('23505'),
      coded('42P01'),
      coded('22003'),
      new SqliteError('UNIQUE constraint failed', 2067),
      new TakenError('it is taken'),
      new RangeError('too long'),
      new ApiError('not_found', 'There is nothing'),
      new TypeError('undefined is not a function'),
    ]),
  )('leaves %s as it is', async (_message, error) => {
    expect(await thrown(error)).toBe(error);
  });
});
