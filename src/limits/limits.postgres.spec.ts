import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { Bucket, capacityOf, PARTS, type Rate } from '../common/limits/gcra.js';
import { started } from '../common/testing/started.js';
import { openDatabase } from '../database/open-database.js';
import type { Database } from '../database/database.js';
import { describePostgres } from '../database/testing/describe-engines.js';
import { TemporaryPostgres } from '../database/testing/temporary-postgres.js';
import type { BucketAnswer, BucketAsk, PlacesAnswer } from './limit-store.js';
import { PostgresLimits } from './postgres-limits.js';

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
    return new PostgresLimits(database);
  };

  let stores: readonly PostgresLimits[];
  let subjects = 0;

  beforeAll(async () => {
    stores = await Promise.all([open(), open(), open()]);
  });

  const subject = (): string => `key/k${++subjects}/live`;
  const ask = (of: string, rate: Rate, more: Partial<BucketAsk>): BucketAsk => ({
    subject: of,
    kind: 'tokens',
    rate,
    need: 0,
    want: 0,
    back: 0,
    ...more,
  });
  const one = async (asked: BucketAsk, store = stores[0]!): Promise<BucketAnswer> => (await store.buckets([asked]))[0]!;
  const places = async (of: string, limit: number, used: number, wanted: number, store = 0): Promise<PlacesAnswer> =>
    (await stores[store]!.places([{ subject: of, limit, used, wanted }]))[0]!;

  /** One unit a minute: nothing to speak of comes back within a spec. */
  const slow: Rate = { perMinute: 1, burstSeconds: 3_600 };

  it('lease what is needed, and of what is wanted an eighth of what is there', async () => {
    const eighty = { perMinute: 80, burstSeconds: 60 };
    const named = subject();
    expect((await one(ask(named, eighty, { want: 1_000 }))).granted).toBe(10);
    expect((await one(ask(named, eighty, { need: 30, want: 1_000 }))).granted).toBe(30);
    expect((await one(ask(named, eighty, { need: 70 }))).granted).toBeGreaterThanOrEqual(40);
  });

  it('let one request that is larger than the bucket into debt, on a full bucket', async () => {
    const named = subject();
    expect(await one(ask(named, slow, { need: 100 }))).toMatchObject({ granted: 100 });
    expect((await one(ask(named, slow, { need: 1 }))).granted).toBe(0);
    expect((await one(ask(named, slow, { need: 100 }))).granted).toBe(0);
    expect((await one(ask(named, slow, { need: 100, back: 100 }))).granted).toBe(100);
    // Given back are 80 of which 40 pay the debt.
    expect((await one(ask(named, slow, { need: 60, back: 80 }))).granted).toBe(40);
  });

  it('do with any sequence of questions what a bucket in memory does', async () => {
    const questions = fc.array(
      fc.record({
        need: fc.integer({ min: 0, max: 80 }),
        want: fc.integer({ min: 0, max: 80 }),
        share: fc.double({ min: -0.5, max: 1, noNaN: true }),
      }),
      { maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(questions, async (asked) => {
        const named = subject();
        const began = performance.now();
        const bucket = new Bucket(slow, 0);
        let held = 0;
        for (const [index, { need, want, share }] of asked.entries()) {
          const back = Math.trunc(held * share);
          held -= back;
          const { granted, level } = await one(ask(named, slow, { need, want, back }), stores[index % 3]);
          bucket.giveBack(back, 0);
          expect(granted).toBe(bucket.lease(need, want, 0));
          held += granted;
          const left = level - bucket.level(0);
          expect(left).toBeGreaterThanOrEqual(0);
          expect(left).toBeLessThanOrEqual(performance.now() - began + 1);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('never lease more than burst + rate x time to several processes at once, and all of it', async () => {
    const rate: Rate = { perMinute: 60_000, burstSeconds: 1 };
    const named = subject();
    const before = performance.now();
    const first = await one(ask(named, rate, { need: 500 }));
    const began = performance.now();
    let net = first.granted;
    const process = async (store: PostgresLimits, seed: number) => {
      let held = 0;
      for (let turn = seed; performance.now() - began < 1_000; turn++) {
        const back = turn % 3 === 0 ? Math.floor(held / 4) : 0;
        const { granted } = await one(ask(named, rate, { need: 50 + (turn % 40), want: (turn * 7) % 90, back }), store);
        held += granted - back;
        net += granted - back;
      }
    };
    await Promise.all(stores.flatMap((store, index) => [process(store, index), process(store, index + 5)]));
    const last = performance.now();
    const { granted, level } = await one(ask(named, rate, { need: 0 }));
    expect(granted).toBe(0);
    const ended = performance.now();
    expect(net).toBeLessThanOrEqual(capacityOf(rate) / PARTS + (ended - before) + 5);
    // What was not leased is in the bucket, which was never full meanwhile. The two clocks may differ a little.
    expect(net + level / PARTS).toBeGreaterThanOrEqual(capacityOf(rate) / PARTS + (last - began) - 5);
  });

  it('take what was used beyond a lease out of a bucket that was full for long', async () => {
    const named = subject();
    const fast: Rate = { perMinute: 60_000, burstSeconds: 1 };
    await one(ask(named, fast, { need: 1 }));
    await delay(30);
    expect((await one(ask(named, fast, { back: -400 }))).level).toBe(600 * PARTS);
  });

  it('never fill a bucket beyond full, whatever is given back', async () => {
    const named = subject();
    const fast: Rate = { perMinute: 60_000, burstSeconds: 1 };
    await one(ask(named, fast, { need: 20 }));
    await delay(30);
    expect((await one(ask(named, fast, { back: 20 }))).level).toBe(capacityOf(fast));
  });

  it('keep a level where the rate changes, as far as it fits', async () => {
    const named = subject();
    await one(ask(named, { perMinute: 2, burstSeconds: 3_600 }, { need: 100 }));
    expect((await one(ask(named, slow, {}))).level).toBeLessThan(21 * PARTS);
    expect((await one(ask(named, { perMinute: 1, burstSeconds: 600 }, {}))).level).toBe(10 * PARTS);
  });

  it('answer questions about many subjects, from several processes in any order', async () => {
    const many = Array.from({ length: 300 }, () => ask(subject(), slow, { need: 1 }));
    const orders = [many, many.toReversed(), many.toSorted(() => 0.3)];
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => stores[index % 3]!.buckets(orders[index % 3]!)));
    for (const given of answers) expect(given.map(({ granted }) => granted)).toEqual(many.map(() => 1));
    const wanted = many.map((each) => ({ subject: each.subject, limit: 3, used: 0, wanted: 2 }));
    const held = await Promise.all(stores.map((store, index) => store.places(index === 1 ? wanted.toReversed() : wanted)));
    for (const index of many.keys()) {
      const granted = held.map((given, of) => given[of === 1 ? many.length - 1 - index : index]!.granted);
      expect(granted.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    }
  });

  it('share places, and give a process those that it uses', async () => {
    const named = subject();
    expect(await places(named, 5, 0, 3)).toEqual({ granted: 3, others: 0 });
    expect(await places(named, 5, 0, 3, 1)).toEqual({ granted: 2, others: 3 });
    expect(await places(named, 5, 0, 1, 2)).toEqual({ granted: 0, others: 5 });
    expect(await places(named, 5, 1, 1)).toEqual({ granted: 1, others: 2 });
    expect(await places(named, 5, 0, 9, 2)).toEqual({ granted: 2, others: 3 });
    // The limit was lowered while requests were open.
    expect(await places(named, 1, 2, 3, 2)).toEqual({ granted: 2, others: 3 });
    expect(await places(named, 1, 0, 1, 1)).toEqual({ granted: 0, others: 3 });
  });

  it('free the places of a process whose time has passed', async () => {
    const named = subject();
    const silent = new PostgresLimits(databases[0]!, -1);
    expect((await silent.places([{ subject: named, limit: 2, used: 2, wanted: 2 }]))[0]!.granted).toBe(2);
    expect(await places(named, 2, 0, 2)).toEqual({ granted: 2, others: 0 });
    expect(await places(named, 2, 0, 2, 1)).toEqual({ granted: 0, others: 2 });
  });

  it('forget what says nothing any more, and nothing else', async () => {
    const store = await open();
    const { db } = databases.at(-1)!;
    await db.deleteFrom('limit_bucket').execute();
    const rate = { perMinute: 60, burstSeconds: 10 };
    await store.buckets(['full', 'debt', 'new'].map((name) => ask(name, rate, { need: name === 'debt' ? 1_000_000 : 0 })));
    await db
      .updateTable('limit_bucket')
      .set('at', (row) => row('at', '-', 7_200_000n))
      .where('subject', '!=', 'new')
      .execute();
    await store.sweep();
    const left = await db.selectFrom('limit_bucket').select('subject').orderBy('subject').execute();
    expect(left.map((row) => row.subject)).toEqual(['debt', 'new']);
  });
});
