import fc from 'fast-check';
import { samples } from '../../common/testing/long-form.js';
import type { Offer } from '../../catalogue/offer.js';
import { OfferHealth } from './offer-health.js';
import { strategies } from '../../wire/routing-strategy.js';
import { type Candidate, ordered } from './strategy.js';

function candidate(name: string, offer: Partial<Offer> = {}): Candidate {
  return {
    offer: { modelId: 'm', provider: { id: name }, weight: 1, price: { prompt: 1n, completion: 1n }, ...offer } as Offer,
    health: new OfferHealth(`${name}/m`, { max_concurrency: 10, max_queue: 10 }),
  };
}

const nameOf = ({ health }: Candidate) => health.name;

/** A generator with a seed, so that a red run can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function firsts(
  candidates: readonly Candidate[],
  strategy: (typeof strategies)[number],
  times: number,
  seed: number,
): Record<string, number> {
  const random = randomOf(seed);
  const counts: Record<string, number> = Object.fromEntries(candidates.map((one) => [nameOf(one), 0]));
  for (let i = 0; i < times; i++) counts[nameOf(ordered(candidates, { strategy, random })[0]!)]!++;
  return counts;
}

describe('ordered', () => {
  it('returns each candidate once, whatever the strategy', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...strategies),
        fc.integer({ min: 1, max: 8 }),
        fc.string(),
        fc.integer(),
        (strategy, count, stickyKey, seed) => {
          const candidates = Array.from({ length: count }, (_, i) => candidate(`p${i}`));
          const result = ordered(candidates, { strategy, stickyKey, random: randomOf(seed) });
          expect(result.map(nameOf).sort()).toEqual(candidates.map(nameOf).sort());
        },
      ),
    );
  });

  it('draws the first candidate in proportion to the weights', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const counts = firsts(
          [candidate('a', { weight: 1 }), candidate('b', { weight: 3 }), candidate('c', { weight: 6 })],
          'weighted',
          10_000,
          seed,
        );
        expect(counts['a/m']! / 10_000).toBeCloseTo(0.1, 1);
        expect(counts['b/m']! / 10_000).toBeCloseTo(0.3, 1);
        expect(counts['c/m']! / 10_000).toBeCloseTo(0.6, 1);
      }),
      { numRuns: samples(20) },
    );
  });

  it('asks the cheapest first', () => {
    const candidates = ['dear', 'cheap', 'also-dear'].map((name) => candidate(name));
    const costs = () => [5n, 1n, 5n];
    expect(ordered(candidates, { strategy: 'cheapest', costs }).map(nameOf)).toEqual(['cheap/m', 'dear/m', 'also-dear/m']);
  });

  it('converges to the faster offer, follows a change, and starves none', () => {
    const candidates = [candidate('a'), candidate('b'), candidate('c')];
    const times: Record<string, number> = { 'a/m': 1000, 'b/m': 100, 'c/m': 500 };
    const random = randomOf(7);
    const run = (requests: number) => {
      const counts: Record<string, number> = { 'a/m': 0, 'b/m': 0, 'c/m': 0 };
      for (let i = 0; i < requests; i++) {
        const [first] = ordered(candidates, { strategy: 'latency', random });
        counts[nameOf(first!)]!++;
        first!.health.observe(times[nameOf(first!)]!, 2000, 10);
      }
      return counts;
    };
    run(200);
    const before = run(3_000);
    expect(before['b/m']! / 3_000).toBeGreaterThan(0.6);
    expect(before['a/m']!).toBeGreaterThan(10);
    times['a/m'] = 50;
    times['b/m'] = 800;
    run(2_000);
    const after = run(3_000);
    expect(after['a/m']! / 3_000).toBeGreaterThan(0.6);
  });

  it('tries an offer that has never been tried', () => {
    const known = candidate('known');
    known.health.observe(10, 100, 10);
    const counts = firsts([known, candidate('new')], 'latency', 100, 3);
    expect(counts['new/m']).toBeGreaterThan(90);
  });

  it('keeps a key at its offer when another offer is added or removed', () => {
    const candidates = ['a', 'b', 'c', 'd'].map((name) => candidate(name));
    fc.assert(
      fc.property(fc.string(), (stickyKey) => {
        const [first, second] = ordered(candidates, { strategy: 'sticky', stickyKey });
        const without = candidates.filter((one) => one !== first);
        expect(ordered(without, { strategy: 'sticky', stickyKey })[0]).toBe(second);
        const others = candidates.filter((one) => one === first || one === second);
        expect(ordered(others, { strategy: 'sticky', stickyKey })[0]).toBe(first);
      }),
    );
  });

  it('spreads keys evenly', () => {
    const candidates = ['a', 'b'].map((name) => candidate(name));
    let first = 0;
    for (let i = 0; i < 2_000; i++) if (ordered(candidates, { strategy: 'sticky', stickyKey: `k${i}` })[0] === candidates[0]) first++;
    expect(first / 2_000).toBeCloseTo(0.5, 1);
  });
});
