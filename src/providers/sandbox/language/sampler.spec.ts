import fc from 'fast-check';
import { samples } from '../../../common/testing/long-form.js';
import { Base, Distribution } from './distribution.js';
import { Random } from './random.js';
import { Sampler, type SamplingOptions } from './sampler.js';

const SIZE = 8;
const plain: SamplingOptions = { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0, logitBias: new Map() };

/** A random number that the test chooses. */
class Chosen extends Random {
  constructor(private readonly value: number) {
    super('');
  }
  override next(): number {
    return this.value ?? 0;
  }
}

function distributionOf(base: readonly number[], seen: readonly (readonly [number, number])[]): Distribution {
  const total = base.reduce((sum, weight) => sum + weight, 0);
  const distribution = new Distribution(new Base(Float64Array.from(base, (weight) => weight / total)));
  const all = 2 + seen.reduce((sum, [, weight]) => sum + weight, 0);
  distribution.share = 2 / all;
  for (const [token, weight] of seen) distribution.add(token, weight / all);
  return distribution;
}

/** Computes by the definition what the sampler must draw. */
function expectedShares(distribution: Distribution, options: SamplingOptions): number[] {
  const logits = Array.from({ length: SIZE }, (_, id) => distribution.logprob(id) + (options.logitBias.get(id) ?? 0));
  const weights = logits.map((logit) => Math.exp((logit - Math.max(...logits)) / options.temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const order = weights
    .map((weight, id) => ({ id, share: weight / total }))
    .sort((a, b) => Math.fround(b.share) - Math.fround(a.share) || a.id - b.id);
  const shares = Array.from({ length: SIZE }, () => 0);
  let mass = 0;
  for (const { id, share } of order) {
    if (mass >= options.topP - 1e-9 && mass > 0) break;
    shares[id] = share;
    mass += share;
  }
  return shares.map((share) => share / mass);
}

const distributions = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 50 }), { minLength: SIZE, maxLength: SIZE }),
    fc.array(fc.tuple(fc.nat({ max: SIZE - 1 }), fc.integer({ min: 1, max: 5 })), { maxLength: 5 }),
  )
  .map(([base, seen]) => distributionOf(base, seen));

describe('the sampler', () => {
  it('draws each token as often as temperature, bias and nucleus say', () => {
    const options = fc.record({
      temperature: fc.constantFrom(0.3, 1, 2),
      topP: fc.constantFrom(1, 0.7, 0.05),
      bias: fc.array(fc.tuple(fc.nat({ max: SIZE - 1 }), fc.integer({ min: -3, max: 3 })), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(distributions, options, (distribution, { temperature, topP, bias }) => {
        const sampling = { ...plain, temperature, topP, logitBias: new Map(bias) };
        const drawn = Array.from({ length: SIZE }, () => 0);
        const steps = 400;
        for (let step = 0; step < steps; step++) {
          drawn[new Sampler(sampling, new Chosen((step + 0.5) / steps)).pick(distribution)]! += 1 / steps;
        }
        expectedShares(distribution, sampling).forEach((share, id) => expect(Math.abs(drawn[id]! - share)).toBeLessThan(0.005));
      }),
      {
        numRuns: samples(60),
        examples: [
          // 1 and 4 are equally likely, 4 by way of a bias of nothing, and the nucleus ends with one of them.
          [
            distributionOf(
              [1, 46, 1, 1, 46, 1, 25, 1],
              [
                [0, 2],
                [2, 4],
              ],
            ),
            {
              temperature: 2,
              topP: 0.7,
              bias: [
                [4, 0],
                [3, -2],
              ],
            },
          ],
        ],
      },
    );
  });

  it('takes the likeliest at temperature 0, whatever the chance', () => {
    fc.assert(
      fc.property(distributions, fc.double({ min: 0, max: 0.999, noNaN: true }), (distribution, chance) => {
        const best = distribution.top(1)[0]!.id;
        expect(new Sampler({ ...plain, temperature: 0 }, new Chosen(chance)).pick(distribution)).toBe(best);
        const nearlyBest = new Sampler({ ...plain, temperature: 1e-9 }, new Chosen(chance)).pick(distribution);
        expect(distribution.probability(nearlyBest)).toBeCloseTo(distribution.probability(best), 6);
        const biased = new Map([[best, -100]]);
        expect(new Sampler({ ...plain, temperature: 0, logitBias: biased }, new Chosen(chance)).pick(distribution)).not.toBe(best);
      }),
    );
  });

  it('never draws what is banned, and always what is forced', () => {
    fc.assert(
      fc.property(distributions, fc.nat({ max: SIZE - 1 }), fc.constantFrom(0.01, 1, 2), (distribution, token, temperature) => {
        for (const chance of [1e-9, 0.5, 0.999_999]) {
          const banned = new Sampler({ ...plain, temperature, logitBias: new Map([[token, -100]]) }, new Chosen(chance));
          expect(banned.pick(distribution)).not.toBe(token);
          const forced = new Sampler({ ...plain, temperature, logitBias: new Map([[token, 100]]) }, new Chosen(chance));
          expect(forced.pick(distribution)).toBe(token);
        }
      }),
    );
  });

  it('draws only what may stand here, as often among themselves as otherwise', () => {
    fc.assert(
      fc.property(distributions, fc.nat({ max: SIZE - 1 }), fc.constantFrom(0, 0.5, 2), (distribution, barred, temperature) => {
        const mayStand = (token: number) => token !== barred;
        const drawn = Array.from({ length: SIZE }, () => 0);
        for (let seed = 0; seed < 300; seed++) {
          drawn[new Sampler({ ...plain, temperature }, new Random(String(seed))).pick(distribution, mayStand)]! += 1 / 300;
        }
        expect(drawn[barred]).toBe(0);
        const best = distribution.top(2).find(({ id }) => id !== barred)!.id;
        if (temperature === 0) expect(drawn[best]).toBeCloseTo(1);
        else expect(drawn[best]).toBeGreaterThanOrEqual(Math.max(...drawn) - 0.2);
      }),
      { numRuns: samples(30) },
    );
  });

  it('penalises what it has drawn, more each time where frequency counts', () => {
    const distribution = distributionOf(
      [1, 1, 1, 1, 1, 1, 1, 1],
      [
        [3, 60],
        [5, 20],
      ],
    );
    const picks = (options: Partial<SamplingOptions>) => {
      const sampler = new Sampler({ ...plain, temperature: 0, ...options }, new Chosen(0));
      return Array.from({ length: 4 }, () => sampler.pick(distribution));
    };
    expect(picks({})).toEqual([3, 3, 3, 3]);
    expect(picks({ presencePenalty: 2 })).toEqual([3, 5, 3, 3]);
    expect(picks({ frequencyPenalty: 0.75 })).toEqual([3, 3, 5, 3]);
    expect(picks({ presencePenalty: -2 })).toEqual([3, 3, 3, 3]);
  });
});
