import { sql } from 'kysely';
import type { Database } from './database.js';
import { PreparedQuery } from './prepared-query.js';
import { UnexpectedChanges } from './store-error.js';
import { describeEngines } from './testing/describe-engines.js';

describeEngines('a prepared query', (open) => {
  let database: Database;
  let compiled = 0;
  const raise = new PreparedQuery<{ name: string; by: bigint }>(({ db }, { name, by }) => {
    compiled++;
    return db
      .updateTable('counter')
      .set((update) => ({ value: update('value', '+', by) }))
      .where('name', '=', name)
      .where(sql<boolean>`${by} < 1000`);
  }, 1);

  beforeAll(async () => {
    database = await open();
    await database.db
      .insertInto('counter')
      .values(['one', 'two'].map((name) => ({ name, value: 0n })))
      .execute();
  });
  const value = (name: string) => database.db.selectFrom('counter').select('value').where('name', '=', name).executeTakeFirst();

  it('is compiled once, and takes its values where each belongs', async () => {
    await database.batch([raise.with(database, { name: 'one', by: 7n }), raise.with(database, { by: 5n, name: 'two' })]);
    await database.batch([raise.with(database, { name: 'one', by: 2n })]);
    expect([await value('one'), await value('two')]).toEqual([{ value: 9n }, { value: 5n }]);
    expect(compiled).toBe(1);
  });

  it('fails, and its transaction with it, where it changes another number of rows than it is to', async () => {
    const before = await value('one');
    for (const missing of [
      { name: 'none', by: 1n },
      { name: 'one', by: 1000n },
    ]) {
      const batch = database.batch([raise.with(database, { name: 'one', by: 1n }), raise.with(database, missing)]);
      await expect(batch).rejects.toThrow(UnexpectedChanges);
    }
    expect(await value('one')).toEqual(before);
    await database.batch([raise.with(database, { name: 'two', by: 1n })]);
  });
});
