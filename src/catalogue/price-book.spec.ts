import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { randomUUIDv7 as uuidv7 } from 'node:crypto';
import { systemClock } from '../common/time/clock.js';
import { parsePrice } from '../common/prices/credits.js';
import { quoteOf } from '../common/prices/price-quote.js';
import type { Database } from '../database/database.js';
import { describeEngines } from '../database/testing/describe-engines.js';
import { PriceBook } from './price-book.js';
import { type OfferPrice, PriceStore } from './price-store.js';

describeEngines('PriceBook', (open) => {
  let databases: Database[];
  let model: string;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    databases = [await open(), await open()];
  });
  beforeEach(() => (model = `model ${uuidv7()}`));

  const start = async (node = 0): Promise<PriceBook> => {
    const book = new PriceBook(databases[node]!, new PriceStore(databases[node]!), systemClock);
    await book.onModuleInit();
    return book;
  };
  const price = (prompt: bigint, provider = 'p'): OfferPrice => ({ provider, model, prompt, completion: 2n * prompt });
  const history = async () =>
    (await new PriceStore(databases[0]!).history(model, { limit: 100 })).data.map(({ provider, prompt }) => [provider, prompt]);
  const seen = async (condition: () => boolean): Promise<boolean> => {
    const deadline = Date.now() + 30_000;
    while (!condition() && Date.now() < deadline) await delay(10);
    return condition();
  };

  it('has a row for each change, and none for what is published again', async () => {
    const book = await start();
    expect(book.inForce(price(5n)).id).toBeUndefined();
    await book.publish([price(5n), price(7n, 'q')]);
    await book.publish([price(5n), price(7n, 'q')]);
    const { id } = book.inForce(price(5n));
    expect(id).toEqual(expect.any(String));
    await book.publish([price(6n), price(7n, 'q')]);
    expect(book.inForce(price(6n))).toMatchObject({ prompt: 6n, completion: 12n });
    expect(book.inForce(price(6n)).id).not.toBe(id);
    await book.publish([price(5n), price(7n, 'q')]);
    expect(new Set((await history()).map(String))).toEqual(new Set(['p,5', 'p,6', 'q,7']));
    expect(await history()).toHaveLength(4);
  });

  it('has a row that names every component, and another when one of them changes', async () => {
    const book = await start();
    const quote = { prompt: '0.003', completion: '0.015', cached_input: '0.0003', tiers: [{ above: 200_000, prompt: '0.006' }] };
    const priced = (cached_input: string): OfferPrice => ({ provider: 'p', model, ...parsePrice({ ...quote, cached_input }) });
    await book.publish([priced('0.0003')]);
    await book.publish([priced('0.0003')]);
    await book.publish([priced('0.0004')]);
    const { data: rows } = await new PriceStore(databases[1]!).history(model, { limit: 10 });
    expect(rows.map((row) => quoteOf(row).cached_input)).toEqual(['0.0004', '0.0003']);
    expect(quoteOf(rows[1]!).tiers).toEqual([{ above: 200_000, prompt: '0.006', completion: '0.015', cached_input: '0.0003' }]);
    expect(book.inForce(priced('0.0004'))).toEqual({ ...parsePrice({ ...quote, cached_input: '0.0004' }), id: rows[0]!.id });
  });

  it('keeps the old price until the row of the new one is there', async () => {
    const book = await start();
    await book.publish([price(5n)]);
    const published = book.publish([price(6n)]);
    expect(book.inForce(price(6n))).toMatchObject({ prompt: 5n });
    await published;
    expect(book.inForce(price(6n))).toMatchObject({ prompt: 6n });
  });

  it('brings the change of one gateway to the others, and is not turned back by what they had published before', async () => {
    const [one, two] = [await start(0), await start(1)];
    await one.publish([price(5n)]);
    await two.publish([price(5n)]);
    let changes = 0;
    two.onChange(() => changes++);
    await one.publish([price(6n)]);
    expect(await seen(() => two.inForce(price(5n)).prompt === 6n)).toBe(true);
    expect(two.inForce(price(5n))).toEqual(one.inForce(price(6n)));
    expect(changes).toBeGreaterThan(0);
    await two.publish([price(5n)]);
    await two.publish([price(6n)]);
    expect(await history()).toEqual([['p', 6n], ['p', 5n]]); // prettier-ignore
  });

  it('has one row for what several gateways publish at once', async () => {
    const books = await Promise.all([0, 1, 0, 1].map(start));
    await Promise.all(books.map((book) => book.publish([price(5n)])));
    expect(await history()).toEqual([['p', 5n]]);
    expect(new Set(books.map((book) => book.inForce(price(5n)).id)).size).toBe(1);
  });

  it('takes the word of whoever starts with another price', async () => {
    const one = await start(0);
    await one.publish([price(5n)]);
    await (await start(1)).publish([price(9n)]);
    expect(await seen(() => one.inForce(price(5n)).prompt === 9n)).toBe(true);
  });

  it('never changes a row', async () => {
    await (await start()).publish([price(5n)]);
    const { db } = databases[0]!;
    await expect(sql`update price set prompt = 1 where model = ${model}`.execute(db)).rejects.toThrow(/never changed/);
    await expect(sql`delete from price where model = ${model}`.execute(db)).rejects.toThrow(/never changed/);
  });
});
