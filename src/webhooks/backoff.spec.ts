import fc from 'fast-check';
import { waitAfter } from './backoff.js';

const HOUR = 3_600_000;

describe('waitAfter', () => {
  it('waits longer after each failure, whatever chance adds, for a little more than three days', () => {
    const chances = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(chances, (chance) => {
        const waits = chance.map((one, index) => waitAfter(index + 1, one)!);
        for (let index = 1; index < waits.length; index++) expect(waits[index]).toBeGreaterThan(waits[index - 1]!);
        const all = waits.reduce((sum, wait) => sum + wait, 0);
        expect(all).toBeGreaterThan(72 * HOUR);
        expect(all).toBeLessThan(84 * HOUR);
      }),
    );
  });

  it('ends after the tenth attempt', () => {
    expect(waitAfter(1, 0)).toBe(5_000);
    expect(waitAfter(9, 0)).toBe(24 * HOUR);
    expect(waitAfter(10)).toBeUndefined();
  });
});
