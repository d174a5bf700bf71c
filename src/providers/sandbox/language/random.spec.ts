import fc from 'fast-check';
import { Random } from './random.js';

const draw = (seed: string, count: number) => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => random.next());
};

describe('random numbers', () => {
  it('depend on the seed alone', () => {
    fc.assert(fc.property(fc.string(), (seed) => expect(draw(seed, 5)).toEqual(draw(seed, 5))));
    const firsts = new Set(Array.from({ length: 1_000 }, (_, seed) => draw(`${seed}:0`, 1)[0]));
    expect(firsts.size).toBe(1_000);
  });

  it('lie evenly between 0 and 1', () => {
    const buckets = Array.from({ length: 10 }, () => 0);
    for (const value of draw('even', 10_000)) buckets[Math.floor(value * 10)]!++;
    for (const count of buckets) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  it('make integers below a bound', () => {
    const random = new Random('int');
    const seen = new Set(Array.from({ length: 200 }, () => random.int(6)));
    expect(seen).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  });
});
