import fc from 'fast-check';
import { longForm } from '../testing/long-form.js';
import { Bucket, capacityOf, PARTS, type Rate } from './gcra.js';

const rates = fc.record({
  perMinute: fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 1_000_000_000 })),
  burstSeconds: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.double({ min: 1, max: 3_600, noNaN: true })),
});

/** A take of some units after some milliseconds, of which a part is given back some takes later. */
const takes = fc.array(
  fc.record({
    after: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.double({ min: 0, max: 100_000, noNaN: true })),
    share: fc.double({ min: 0, max: 1.2, noNaN: true }),
    counted: fc.double({ min: 0, max: 1, noNaN: true }),
    endsAfter: fc.integer({ min: 0, max: 5 }),
  }),
  { maxLength: 100 },
);

/** Of the bucket's capacity, in whole units. */
const unitsOf = (rate: Rate, share: number): number => Math.max(1, Math.floor((capacityOf(rate) * share) / PARTS));

describe('a bucket', () => {
  it('never admits more than burst + rate x time, whatever is given back, but for what a full one admits into debt', () => {
    fc.assert(
      fc.property(rates, takes, (rate, steps) => {
        const capacity = BigInt(capacityOf(rate));
        let now = 1_000.25;
        const bucket = new Bucket(rate, now);
        const open: { units: number; counted: number; ends: number }[] = [];
        // What would be in a bucket that nobody may overdraw but for the debt, in exact integers and apart from the code.
        let kept = 0n;
        let debt = 0n;
        const began = Math.floor(now);
        for (const [index, { after, share, counted, endsAfter }] of steps.entries()) {
          now += after;
          const units = unitsOf(rate, share);
          const full = bucket.untilFull(now) === 0;
          if (bucket.take(units, now)) {
            kept += BigInt(units) * BigInt(PARTS);
            const over = BigInt(units) * BigInt(PARTS) - capacity;
            if (over > 0n) {
              expect(full).toBe(true);
              debt += over;
            }
            open.push({ units, counted: Math.floor(units * counted), ends: index + endsAfter });
          }
          for (const ended of open.filter(({ ends }) => ends === index)) {
            const back = ended.units - ended.counted;
            bucket.giveBack(back, now);
            kept -= BigInt(back) * BigInt(PARTS);
          }
          const elapsed = BigInt(Math.floor(now) - began);
          expect(kept <= capacity + BigInt(rate.perMinute) * elapsed + debt).toBe(true);
        }
      }),
      { numRuns: longForm ? 2_000 : 400 },
    );
  });

  it('holds the rate after each debt: the next unit comes when the debt is paid', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 10_000_000 }), (rate, over) => {
        const bucket = new Bucket(rate, 0);
        const units = unitsOf(rate, 1) + over;
        expect(bucket.take(units, 0)).toBe(true);
        expect(bucket.remaining(0)).toBe(0);
        const wait = bucket.until(1, 0);
        expect(wait).toBe(Math.ceil((units * PARTS - capacityOf(rate) + PARTS) / rate.perMinute));
        expect(bucket.has(1, wait - 1)).toBe(false);
        expect(bucket.take(1, wait)).toBe(true);
      }),
    );
  });

  it('admits a unit exactly where one remains, and after as long as it says', () => {
    fc.assert(
      fc.property(rates, takes, (rate, steps) => {
        let now = 0;
        const bucket = new Bucket(rate, now);
        for (const { after, share } of steps) {
          now += after;
          const units = unitsOf(rate, share);
          expect(bucket.has(1, now)).toBe(bucket.remaining(now) >= 1);
          const wait = bucket.until(units, now);
          expect(bucket.has(units, now)).toBe(wait === 0);
          if (wait > 0) expect(bucket.has(units, Math.floor(now) + wait - 1)).toBe(false);
          now = Math.floor(now) + wait;
          expect(bucket.take(units, now)).toBe(true);
        }
      }),
    );
  });

  it('is never more than full, and full when it says', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 0, max: 100_000 }), (rate, units, later) => {
        const bucket = new Bucket(rate, 0);
        const full = bucket.remaining(0);
        bucket.take(units, 0);
        const wait = bucket.untilFull(0);
        if (wait > 0) expect(bucket.untilFull(wait - 1)).toBe(1);
        expect(bucket.remaining(wait)).toBe(full);
        bucket.giveBack(units, wait + later);
        expect(bucket.remaining(wait + later)).toBe(full);
      }),
    );
  });

  it('gives the same in any order of takes at one time that all fit', () => {
    fc.assert(
      fc.property(rates, fc.array(fc.double({ min: 0, max: 0.1, noNaN: true }), { maxLength: 5 }), (rate, shares) => {
        const amounts = shares.map((share) => Math.floor((capacityOf(rate) * share) / PARTS));
        const left = (order: readonly number[]) => {
          const bucket = new Bucket(rate, 0);
          for (const units of order) expect(bucket.take(units, 0)).toBe(true);
          return [bucket.remaining(7), bucket.untilFull(7)];
        };
        expect(left(amounts)).toEqual(left(amounts.toReversed()));
      }),
    );
  });

  it('admits one at a time where the rate is slower than the burst', () => {
    const bucket = new Bucket({ perMinute: 1, burstSeconds: 10 }, 0);
    expect(bucket.take(1, 0)).toBe(true);
    expect(bucket.until(1, 0)).toBe(60_000);
    expect(bucket.take(1, 59_999)).toBe(false);
    expect(bucket.take(1, 60_000)).toBe(true);
  });

  it('keeps what is in it where its rate changes, as far as it fits', () => {
    const bucket = new Bucket({ perMinute: 60, burstSeconds: 10 }, 0);
    expect(bucket.take(4, 0)).toBe(true);
    bucket.change({ perMinute: 600, burstSeconds: 10 }, 0);
    expect(bucket.remaining(0)).toBe(6);
    bucket.change({ perMinute: 12, burstSeconds: 10 }, 0);
    expect(bucket.remaining(0)).toBe(2);
  });
});
