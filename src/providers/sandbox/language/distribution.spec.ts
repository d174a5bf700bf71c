import fc from 'fast-check';
import { Base, Distribution } from './distribution.js';

const SIZE = 12;
const probabilities = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: SIZE, maxLength: SIZE }).map((counts) => {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return Float64Array.from(counts, (count) => count / total);
});
const distributions = fc
  .tuple(
    probabilities,
    fc.array(fc.tuple(fc.nat({ max: SIZE - 1 }), fc.integer({ min: 1, max: 9 })), { maxLength: 8 }),
    fc.integer({ min: 1, max: 9 }),
  )
  .map(([base, seen, share]) => {
    const distribution = new Distribution(new Base(base));
    const total = share + seen.reduce((sum, [, weight]) => sum + weight, 0);
    distribution.share = share / total;
    for (const [token, weight] of seen) distribution.add(token, weight / total);
    return distribution;
  });

const all = (distribution: Distribution) => Array.from({ length: SIZE }, (_, token) => distribution.probability(token));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('a distribution', () => {
  it('adds up to one', () => {
    fc.assert(fc.property(distributions, (distribution) => expect(sum(all(distribution))).toBeCloseTo(1, 12)));
  });

  it('ranks its tokens, equal ones by id', () => {
    fc.assert(
      fc.property(distributions, fc.nat({ max: SIZE + 2 }), (distribution, count) => {
        const ranked = all(distribution)
          .map((probability, id) => ({ id, logprob: Math.log(probability) }))
          .sort((a, b) => b.logprob - a.logprob || a.id - b.id);
        expect(distribution.top(count)).toEqual(ranked.slice(0, count));
      }),
    );
  });

  it('can be reweighed and made whole again', () => {
    fc.assert(
      fc.property(distributions, fc.array(fc.nat({ max: 5 }), { minLength: SIZE, maxLength: SIZE }), (distribution, weights) => {
        const factors = Float64Array.from(weights, (weight, token) => (token === 0 ? 1 : weight));
        const expected = all(distribution).map((probability, token) => probability * factors[token]!);
        distribution.reweigh(new Base(distribution.base.weights.map((weight, token) => weight * factors[token]!)), factors, 0.5);
        distribution.normalise();
        all(distribution).forEach((probability, token) => expect(probability).toBeCloseTo(expected[token]! / sum(expected), 12));
      }),
    );
  });

  it('is empty again when cleared', () => {
    fc.assert(
      fc.property(distributions, (distribution) => {
        const { base } = distribution;
        distribution.clear(base);
        expect(all(distribution)).toEqual([...base.weights]);
      }),
    );
  });
});
