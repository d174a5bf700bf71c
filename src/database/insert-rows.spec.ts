import { sql } from 'kysely';
import { started } from '../common/testing/started.js';
import type { Database } from './database.js';
import { RowsInsert } from './insert-rows.js';
import { type JsonColumns, jsonRow } from './json-rows.js';
import { TakenError, UnexpectedChanges, unlessTaken } from './store-error.js';
import { describeEngines } from './testing/describe-engines.js';
import { PreparedQuery } from './prepared-query.js';

const columns = {
  id: 'text',
  model: 'text',
  provider: 'text',
  prompt: 'int',
  completion: 'int',
  valid_from: 'int',
} as const satisfies JsonColumns;

describeEngines('insertRows', (open) => {
  const database = started(open);

  const stored = (model: string) =>
    database.db.selectFrom('price').select(['id', 'provider', 'prompt', 'completion']).where('model', '=', model).orderBy('id').execute();
  const insert = (rows: (string | number | bigint)[][], unlessThere?: boolean) =>
    database.batch([new RowsInsert('price', columns, { unlessThere }).of(database, rows.map(jsonRow))]);

  it('keeps texts and integers as they are', async () => {
    const most = 2n ** 63n - 1n;
    await insert([
      ['a', 'exact', 'é"\\\n\u{1f600}', most, 0n, 7],
      ['b', 'exact', '12', 2n ** 53n + 1n, 5, 8],
    ]);
    expect(await stored('exact')).toEqual([
      { id: 'a', provider: 'é"\\\n\u{1f600}', prompt: most, completion: 0n },
      { id: 'b', provider: '12', prompt: 2n ** 53n + 1n, completion: 5n },
    ]);
  });

  it('sends an integer as text only where a number cannot hold it', () => {
    expect(jsonRow([5n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 63n)])).toBe(`[5,9007199254740991,"9007199254740992","-9223372036854775808"]`);
  });

  it('inserts all rows or, where one is there already, none, unless that is to be let pass', async () => {
    const rows = [
      ['c', 'twice', 'p', 1, 1, 1],
      ['d', 'twice', 'p', 1, 1, 2],
    ];
    await insert(rows.slice(1));
    await expect(unlessTaken('taken', () => insert(rows))).rejects.toThrow(TakenError);
    expect((await stored('twice')).map(({ id }) => id)).toEqual(['d']);
    await insert(rows, true);
    expect((await stored('twice')).map(({ id }) => id)).toEqual(['c', 'd']);
  });
});

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
