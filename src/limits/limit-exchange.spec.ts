import { jest } from '@jest/globals';
import fc from 'fast-check';
import { Logger } from '@nestjs/common';
import { Bucket, capacityOf, PARTS, type Rate } from '../common/limits/gcra.js';
import { ManualClock } from '../common/testing/manual-clock.js';
import { LeasedPlaces } from './leased-places.js';
import { LeasedRate } from './leased-rate.js';
import { LimitExchange } from './limit-exchange.js';
import type { BucketAsk, LimitStore, PlacesAsk } from './limit-store.js';
import { admit } from './testing/admit.js';

/** One bucket and places that several processes ask, which answers, fails or is silent as it is told. */
class OneBucket implements LimitStore {
  mode: 'answers' | 'fails' | 'silent' = 'answers';
  questions = 0;
  constructor(
    readonly bucket: Bucket,
    private readonly clock: () => number,
  ) {}

  async buckets(asks: readonly BucketAsk[]) {
    await this.#reached();
    return asks.map(({ need, want, back }) => {
      this.bucket.giveBack(back, this.clock());
      return { granted: this.bucket.lease(need, want, this.clock()), level: this.bucket.level(this.clock()) };
    });
  }

  async places(asks: readonly PlacesAsk[]) {
    await this.#reached();
    return asks.map(({ used, wanted, limit }) => ({ granted: Math.max(used, Math.min(wanted, limit)), others: 0 }));
  }

  async sweep() {}

  async #reached(): Promise<void> {
    this.questions++;
    if (this.mode === 'silent') return new Promise(() => undefined);
    if (this.mode === 'fails') throw new Error('the store is away');
  }
}

const none = { observe: () => undefined };
const clock = new ManualClock();

describe('leases of limits', () => {
  const rate: Rate = { perMinute: 60, burstSeconds: 20 };

  it('never admit more than is in the store, by however many processes and in whatever order, and all of it', async () => {
    const steps = fc.array(
      fc.record({
        process: fc.nat(2),
        units: fc.integer({ min: 1, max: 8 }),
        together: fc.integer({ min: 1, max: 4 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
        tick: fc.boolean(),
      }),
      { maxLength: 25 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (asked) => {
        // A clock that stands: nothing comes back but what is given back.
        const store = new OneBucket(new Bucket(rate, 0), () => 0);
        const processes = Array.from({ length: 3 }, () => {
          const exchange = new LimitExchange(store, none, clock);
          return { exchange, pool: new LeasedRate('tokens', 's', rate, clock.monotonic(), exchange) };
        });
        let used = 0;
        for (const { process, units, together, share, tick } of asked) {
          const { pool, exchange } = processes[process]!;
          const admitted = await Promise.all(Array.from({ length: together }, () => admit(pool, units, clock)));
          for (const yes of admitted) {
            if (!yes) continue;
            const back = Math.floor(units * share);
            pool.giveBack(back);
            used += units - back;
          }
          expect(used).toBeLessThanOrEqual(20);
          if (tick) exchange.tick([pool], clock.monotonic());
        }
        for (const { exchange, pool } of processes) await exchange.close([pool]);
        expect(store.bucket.level(0)).toBe(capacityOf(rate) - used * PARTS);
      }),
      { numRuns: 200 },
    );
  });

  it('of a process that dies keep from the others what it has used in a second, at most', async () => {
    const seconds = fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(seconds, async (asked) => {
        const store = new OneBucket(new Bucket(rate, 0), () => 0);
        const exchange = new LimitExchange(store, none, clock);
        const pool = new LeasedRate('requests', 's', rate, clock.monotonic(), exchange);
        let used = 0;
        let before = 0;
        for (const second of asked) {
          let taken = 0;
          for (const units of second) if (await admit(pool, units, clock)) taken += units;
          // As if it had asked ahead at once.
          await exchange.ask(pool);
          used += taken;
          const lost = capacityOf(rate) / PARTS - used - store.bucket.level(0) / PARTS;
          expect(lost).toBeGreaterThanOrEqual(0);
          expect(lost).toBeLessThanOrEqual(Math.max(taken, before));
          exchange.tick([pool], clock.monotonic());
          await exchange.ask(pool);
          before = taken;
        }
      }),
      { numRuns: 100 },
    );
  });

  it('serve all who wait together by one question, in their order', async () => {
    const store = new OneBucket(new Bucket(rate, 0), () => 0);
    const pool = new LeasedRate('requests', 's', rate, clock.monotonic(), new LimitExchange(store, none, clock));
    const admitted = await Promise.all(Array.from({ length: 25 }, () => admit(pool, 1, clock)));
    expect(admitted).toEqual(Array.from({ length: 25 }, (_, index) => index < 20));
    expect(store.questions).toBeLessThanOrEqual(4);
    // A flood that is refused does not ask for each request.
    const before = store.questions;
    for (let sent = 0; sent < 1_000; sent++) expect(await admit(pool, 1, clock)).toBe(false);
    expect(store.questions - before).toBeLessThan(100);
  });

  it('give back within a second what a second has not used', async () => {
    const store = new OneBucket(new Bucket(rate, 0), () => 0);
    const exchange = new LimitExchange(store, none, clock);
    const pool = new LeasedRate('tokens', 's', rate, clock.monotonic(), exchange);
    expect(await admit(pool, 15, clock)).toBe(true);
    pool.giveBack(14);
    exchange.tick([pool], clock.monotonic());
    await exchange.close([]);
    expect(store.bucket.level(0)).toBeGreaterThanOrEqual(18 * PARTS);
    exchange.tick([pool], clock.monotonic());
    await exchange.ask(pool);
    expect(store.bucket.level(0)).toBe(19 * PARTS);
    expect(pool.idle()).toBe(true);
  });

  it.each(['fails', 'silent'] as const)(
    'go on by what is expected to be there while the store %s, and together again after it',
    async (mode) => {
      const warnings: string[] = [];
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation((text: string) => void warnings.push(text));
      const logged = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
      const store = new OneBucket(new Bucket(rate, 0), () => 0);
      const exchange = new LimitExchange(store, none, clock);
      const pool = new LeasedRate('requests', 's', rate, clock.monotonic(), exchange);
      const places = new LeasedPlaces(2, 's', exchange, clock);
      for (let sent = 0; sent < 5; sent++) expect(await admit(pool, 1, clock)).toBe(true);
      store.mode = mode;
      let admitted = 0;
      const sent = Array.from({ length: 40 }, () => admit(pool, 1, clock));
      // A second's patience, in which one comes back.
      await clock.advance(1_000);
      for (const one of sent) if (await one) admitted++;
      expect(admitted).toBeGreaterThanOrEqual(15);
      expect(admitted).toBeLessThanOrEqual(16);
      expect([await admit(places, 1, clock), await admit(places, 1, clock), await admit(places, 1, clock)]).toEqual([true, true, false]);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toMatch(/^Limits are counted by this process alone/);
      // A question that is never answered is not followed by another one.
      const before = store.questions;
      store.mode = 'answers';
      for (let second = 0; second < 2; second++) {
        exchange.tick([pool, places], clock.monotonic());
        await exchange.close([pool]);
      }
      expect(store.questions > before).toBe(mode === 'fails');
      expect(logged.mock.calls.length).toBe(mode === 'fails' ? 1 : 0);
      warn.mockRestore();
      logged.mockRestore();
    },
  );

  it('of places are not believed in for longer than the store does', async () => {
    const store = new OneBucket(new Bucket(rate, 0), () => 0);
    const places = new LeasedPlaces(8, 's', new LimitExchange(store, none, clock), clock);
    expect(await admit(places, 1, clock)).toBe(true);
    places.giveBack();
    expect(places.has(1, clock.monotonic())).toBe(true);
    expect(places.has(1, clock.monotonic() + 9_000)).toBe(false);
  });
});
