import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { started } from '../common/testing/started.js';
import { RowsInsert } from './insert-rows.js';
import { exactSum, sumParts } from './integers.js';
import { type JsonRow, jsonRow } from './json-rows.js';
import { isConstraintViolation, isOverflow } from './store-error.js';
import { describeEngines } from './testing/describe-engines.js';

const [SMALLEST, LARGEST] = [-(2n ** 63n), 2n ** 63n - 1n];
const counters = new RowsInsert('counter', { name: 'text', value: 'int' });

/** All integers, the edges of every width above all. */
const integers = fc.oneof(
  fc.bigInt(SMALLEST, LARGEST),
  fc
    .constantFrom(...[31n, 32n, 53n, 63n].flatMap((width) => [-2n, -1n, 0n, 1n].flatMap((by) => [2n ** width + by, -(2n ** width) - by])))
    .filter((value) => value >= SMALLEST && value <= LARGEST),
);

describeEngines('integers of 64 bits', (open) => {
  const database = started(open);
  let names = 0;
  afterEach(async () => {
    await database.db.deleteFrom('counter').where('name', 'like', 'n %').execute();
  });

  const execute = (query: RawBuilder<unknown>) => query.execute(database.db);
  const insert = (rows: JsonRow[]) => database.batch([counters.of(database, rows.map(jsonRow))]);
  const asParameter = async (value: bigint | number) => {
    const name = `n ${++names}`;
    await database.db.insertInto('counter').values({ name, value }).execute();
    return name;
  };
  const asJson = async (value: bigint | number) => {
    const name = `n ${++names}`;
    await insert([[name, value]]);
    return name;
  };
  const read = async (name: string) =>
    database.db
      .selectFrom('counter')
      .select(({ fn }) => [
        'value',
        sql<bigint>`max(value)`.as('most'),
        fn.sum<bigint>('value').as('sum'),
        sql<bigint>`coalesce(min(value), 0)`.as('least'),
      ])
      .where('name', '=', name)
      .groupBy('value')
      .executeTakeFirstOrThrow();
  const failure = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('come back as they went, by parameter and by JSON, as columns and as aggregates', async () => {
    await fc.assert(
      fc.asyncProperty(integers, async (value) => {
        for (const write of [asParameter, asJson])
          expect(await read(await write(value))).toEqual({ value, most: value, sum: value, least: value });
      }),
      { numRuns: 60 },
    );
  });

  it('are compared as integers', async () => {
    await fc.assert(
      fc.asyncProperty(integers, integers, async (value, other) => {
        const name = await asParameter(value);
        const less = database.db.selectFrom('counter').select('name').where('name', '=', name).where('value', '<', other);
        expect(await less.execute()).toHaveLength(value < other ? 1 : 0);
      }),
      { numRuns: 40 },
    );
  });

  it.each([LARGEST + 1n, SMALLEST - 1n, 2n ** 70n])('%s is refused, and stored as nothing else', async (value) => {
    for (const write of [asParameter, asJson]) expect(await failure(write(value))).toBeInstanceOf(Error);
    expect(isConstraintViolation(await failure(asJson(value)))).toBe(true);
    expect(await database.db.selectFrom('counter').selectAll().where('name', 'like', 'n %').execute()).toEqual([]);
  });

  it.each([0.5, 2 ** 53 + 2, 1e21, Infinity, NaN])('the number %s is refused in JSON', async (value) => {
    const error = await failure(asJson(value));
    expect(error).toBeInstanceOf(RangeError);
    expect(isConstraintViolation(error)).toBe(true);
  });

  it('that overflow in an update are refused, and the row stays', async () => {
    const name = await asParameter(LARGEST);
    const error = await failure(
      database.db
        .updateTable('counter')
        .set((counter) => ({ value: counter('value', '+', 1n) }))
        .where('name', '=', name)
        .execute(),
    );
    expect([isOverflow(error), isConstraintViolation(error)]).toEqual([true, true]);
    expect((await read(name)).value).toBe(LARGEST);
  });

  it('are summed exactly, however many and however large', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(integers, { maxLength: 12 }), async (values) => {
        const prefix = `n ${++names} `;
        if (values.length > 0) await insert(values.map((value, index) => [prefix + index, value]));
        const parts = await database.db
          .selectFrom('counter')
          .select(sumParts(sql.ref<bigint>('value')))
          .where('name', 'like', `${prefix}%`)
          .executeTakeFirstOrThrow();
        expect(exactSum(parts)).toBe(values.reduce((sum, value) => sum + value, 0n));
      }),
      { numRuns: 30 },
    );
  });

  it('stay integers in arithmetic, whatever the engine makes of a division', async () => {
    const name = await asParameter(7n);
    const { rows } = await execute(
      sql`select value / 2 as half, -value / 2 as negative, value % 4 as rest, count(*) as count from counter where name = ${name} group by value`,
    );
    expect(rows).toEqual([{ half: 3n, negative: -3n, rest: 3n, count: 1n }]);
  });

  it('have texts beside them that either engine can hold', async () => {
    const texts = ['a\0b', '\ud800', 'x\udc00y', '\u{1f600}', '\u0001', '"\\', '\\u0000'];
    for (const [index, text] of texts.entries()) await insert([[`n ${index} ${text}`, 1]]);
    const stored = await database.db.selectFrom('counter').select('name').where('name', 'like', 'n %').orderBy('name').execute();
    expect(stored.map(({ name }) => name.slice(4))).toEqual(['a\ufffdb', '\ufffd', 'x\ufffdy', '\u{1f600}', '\u0001', '"\\', '\\u0000']);
  });
});
