import fc from 'fast-check';
import { ByteBudget, ByteClaim } from './byte-budget.js';
import { samples } from '../testing/long-form.js';
import { GatheredBytes } from '../collections/gathered-bytes.js';

const KB = 1024;

describe('ByteBudget', () => {
  it('never gives more than it has nor an account more than half for several requests, and has all again at the end', () => {
    const step = fc.tuple(fc.nat(9), fc.nat(400 * KB));
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const budget = new ByteBudget(1_000 * KB);
        const accounts = ['a', 'b', 'c'];
        const claims = Array.from({ length: 10 }, (_, index) => new ByteClaim(budget, accounts[index % 3]));
        const kept = claims.map(() => 0);
        for (const [index, bytes] of steps) {
          const before = kept[index]!;
          if (claims[index]!.resize(bytes)) kept[index] = bytes > 64 * KB ? bytes : 0;
          expect(budget.used).toBe(kept.reduce((sum, one) => sum + one, 0));
          expect(budget.used).toBeLessThanOrEqual(budget.limit);
          const own = kept.filter((one, other) => other % 3 === index % 3 && one > 0);
          const held = own.reduce((sum, one) => sum + one, 0);
          expect(budget.heldBy(accounts[index % 3]!)).toBe(held);
          if (own.length > 1 && kept[index]! > before) expect(held).toBeLessThanOrEqual(budget.limit / 2);
        }
        for (const claim of claims) claim.release();
        expect([budget.used, ...accounts.map((account) => budget.heldBy(account))]).toEqual([0, 0, 0, 0]);
      }),
    );
  });

  it('lets a single request have what is free', () => {
    const budget = new ByteBudget(1_000 * KB);
    const large = new ByteClaim(budget, 'one');
    expect([large.resize(900 * KB), new ByteClaim(budget, 'one').resize(70 * KB), large.resize(1_000 * KB)]).toEqual([true, false, true]);
  });

  it('has a share of the heap where nobody says how much', () => {
    const { limit } = new ByteBudget();
    expect(limit).toBeGreaterThan(16 * 1024 * KB);
    expect(Number.isInteger(limit)).toBe(true);
  });
});

describe('GatheredBytes', () => {
  it('has all bytes in their order, in few buffers', () => {
    const size = fc.oneof(fc.nat(10), fc.nat(10_000), fc.nat(200_000));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 60 }), (sizes) => {
        const gathered = new GatheredBytes();
        const pieces = sizes.map((length, index) => Buffer.alloc(length, index));
        for (const piece of pieces) gathered.add(piece);
        const buffers = gathered.end();
        expect(Buffer.concat(buffers).equals(Buffer.concat(pieces))).toBe(true);
        expect(gathered.length).toBe(sizes.reduce((sum, length) => sum + length, 0));
        expect(buffers.length).toBeLessThanOrEqual(8 + gathered.length / 4_096);
      }),
      { numRuns: samples(50) },
    );
  });

  it('does not copy what comes in one piece, or in large ones', () => {
    const [small, large] = [Buffer.alloc(10), Buffer.alloc(8 * 1024)];
    const gathered = new GatheredBytes();
    gathered.add(small);
    gathered.add(large);
    expect(gathered.end()[0]).toBe(small);
    expect(gathered.end()[1]).toBe(large);
  });

  it('tells tiny pieces from a few', () => {
    const gathered = new GatheredBytes();
    for (let count = 0; count < 10_000; count++) gathered.add(Buffer.from('x'));
    expect(gathered.crumbles(64)).toBe(false);
    gathered.add(Buffer.from('x'));
    expect(gathered.crumbles(64)).toBe(true);
    gathered.add(Buffer.alloc(700_000));
    expect(gathered.crumbles(64)).toBe(false);
  });
});
