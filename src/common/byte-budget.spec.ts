import fc from 'fast-check';
import { ByteBudget, ByteClaim } from './byte-budget.js';

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

  it('has room for another account, however many requests one has', () => {
    const budget = new ByteBudget(1_000 * KB);
    let served = 0;
    while (new ByteClaim(budget, 'one').resize(100 * KB)) served++;
    expect(served).toBe(5);
    expect(new ByteClaim(budget, 'other').resize(500 * KB)).toBe(true);
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
