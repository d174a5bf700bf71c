import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { started } from '../common/testing/started.js';
import { ManualClock } from '../common/testing/manual-clock.js';
import { FileLock } from './file-lock.js';
import type { Schema } from './schema.js';
import { SqliteClient } from './sqlite-client.js';
import { SqliteDialect } from './sqlite-dialect.js';
import { describeEngines } from './testing/describe-engines.js';
import { TemporaryStore } from './testing/temporary-store.js';

/** Milliseconds that a read may take. */
const LIMIT = 60_000;

describeEngines('what only reads', (open) => {
  const database = started(open);

  it('sees at once what was changed before it', async () => {
    for (let value = 0n; value < 20n; value++) {
      await sql`update counter set value = ${value} where name = 'recall'`.execute(database.db);
      const read = database.reading(() => database.db.selectFrom('counter').select('value').where('name', '=', 'recall').execute());
      expect(await read).toEqual([{ value }]);
    }
  });

  it('changes what it must by the connections of everybody', async () => {
    await database.reading(() => database.change('recall', async () => undefined));
    await database.reading(() => database.batch([database.db.deleteFrom('counter').where('name', '=', 'none')]));
  });
});

describe('what only reads of the embedded store', () => {
  const store = new TemporaryStore();
  const clock = new ManualClock();
  const database = started(() => store.open());
  afterAll(() => store.remove());

  /** @param file another one than that of the store */
  const readersWith = (queue: { most: number; patience?: number }, threads = 1, file = join(store.dataDir, 'switchyard.db')) => {
    const clients = Array.from({ length: threads }, () => new SqliteClient({ file, busyTimeout: LIMIT }, undefined, { ms: LIMIT, clock }));
    return new Kysely<Schema>({ dialect: new SqliteDialect(clients, queue, clock) });
  };
  const unavailable = expect.objectContaining({ kind: 'unavailable' });

  it('cannot write', async () => {
    const written = database.reading(() => sql`update counter set value = 1`.execute(database.db));
    await expect(written).rejects.toThrow('readonly');
  });

  describe('and takes too long', () => {
    const stuck = sql`select * from sqlite_master`;
    let lock: FileLock;
    afterEach(() => lock.release());

    /** Readers of a file that another process has locked since. */
    async function lockedReaders(name: string, threads: number): Promise<Kysely<Schema>> {
      const file = join(store.dataDir, name);
      FileLock.take(file)!.release();
      const db = readersWith({ most: 10 }, threads, file);
      await Promise.all(Array.from({ length: threads }, () => sql`select 1`.execute(db)));
      lock = FileLock.take(file)!;
      return db;
    }

    it('is given up, while others go on by another thread', async () => {
      const db = await lockedReaders('two.db', 2);
      const given = stuck.execute(db).catch((error: unknown) => error);
      await Promise.all([1, 2, 3].map(() => sql`select 1`.execute(db)));
      await clock.advance(LIMIT);
      expect(await given).toEqual(unavailable);
      await Promise.all([1, 2, 3].map(() => sql`select 1`.execute(db)));
      lock.release();
      await db.destroy();
    });

    it('has its thread replaced when that has ended', async () => {
      const db = await lockedReaders('one.db', 1);
      const given = stuck.execute(db).catch((error: unknown) => error);
      await clock.advance(LIMIT);
      expect(await given).toEqual(unavailable);
      await expect(sql`select 1`.execute(db)).rejects.toEqual(unavailable);
      lock.release();
      while (!(await sql`select 1`.execute(db).catch((error: unknown) => expect(error).toEqual(unavailable)))) await delay(20);
      await db.destroy();
    });
  });

  it('waits for its turn with so many others, and for so long', async () => {
    const db = readersWith({ most: 2, patience: 20 });
    const end = Promise.withResolvers<void>();
    const held = db.connection().execute(() => end.promise);
    const waiting = [sql`select 1`.execute(db), sql`select 2`.execute(db)];
    await expect(sql`select 3`.execute(db)).rejects.toEqual(unavailable);
    const refusals = Promise.allSettled(waiting);
    await clock.advance(20);
    for (const one of await refusals) expect(one).toEqual({ status: 'rejected', reason: unavailable });
    end.resolve();
    await held;
    await sql`select 4`.execute(db);
    await db.destroy();
  });
});
