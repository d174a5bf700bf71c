import { Random } from '../../../test/torture/random.js';
import { LowEstimate } from './low-estimate.js';

/** The share of values that are below an estimate which has seen so many others. */
function shareBelow(seen: number, value: (random: Random) => number): number {
  const random = new Random(seen);
  let below = 0;
  for (let round = 0; round < 500; round++) {
    const estimate = new LowEstimate();
    for (let answer = 0; answer < seen; answer++) estimate.see(value(random));
    const { low } = estimate;
    for (let answer = 0; answer < 40; answer++) if (value(random) < low) below++;
  }
  return below / (500 * 40);
}

describe('a low estimate', () => {
  it.each<[string, (random: Random) => number]>([
    ['of one kind', (random) => random.next()],
    ['of four kinds', (random) => random.pick([0.7, 0.8, 1, 1.2]) + 0.02 * random.next()],
    ['with few that are low', (random) => (random.next() < 0.1 ? 0.4 : 1) + 0.1 * random.next()],
    ['with few that are high', (random) => 1 / (0.2 + random.next())],
  ])('is above one in 20 of values %s', (_, value) => {
    for (const seen of [20, 64, 200]) {
      const share = shareBelow(seen, value);
      expect(share).toBeLessThan(0.06);
      expect(share).toBeGreaterThan(0.025);
    }
  });

  it('forgets what was long ago', () => {
    const estimate = new LowEstimate();
    for (let value = 0; value < 100; value++) estimate.see(value);
    expect(estimate.low).toBeGreaterThanOrEqual(36);
    expect(estimate.count).toBe(100);
  });

  it('is the lowest of few, and 0 of none', () => {
    const estimate = new LowEstimate();
    expect(estimate.low).toBe(0);
    for (const value of [3, 2, 5]) estimate.see(value);
    expect(estimate.low).toBe(2);
  });
});
