import { parsePrice, type PriceQuote } from '../../common/prices/credits.js';
import type { GenerationRequest } from '../../wire/generation.js';
import { expectedCosts } from './expected-cost.js';
import { OfferHealth } from './offer-health.js';

const health = (...counted: [prompt: number, cached: number, output: number][]) => {
  const made = new OfferHealth('a/m', { max_concurrency: 10, max_queue: 10 });
  for (const [prompt_tokens, cached_tokens, completion_tokens] of counted)
    made.counted({ prompt_tokens, completion_tokens, total_tokens: 0, prompt_tokens_details: { cached_tokens } }, 1);
  return made;
};

const request = (more: object = {}) =>
  ({ operation: 'chat', messages: [{ role: 'user', content: 'Hi' }], n: 1, ...more }) as unknown as GenerationRequest;
const route = (price: PriceQuote | undefined, { bytes = 4_000, calls = 1, of = health(), taken = ['cache_control'], asked = {} } = {}) => ({
  offer: { price: price && parsePrice(price), parameters: new Set(taken), maxTokens: 10_000, hostedCalls: [], listsHostedCalls: false },
  calls: Array.from({ length: calls }, () => ({ promptBytes: bytes, request: request(asked) })),
  health: of,
});
const cost = (...routes: ReturnType<typeof route>[]) => expectedCosts(routes, Date.now()).map((nano) => Number(nano) / 1e9);

describe('expectedCosts', () => {
  it('weighs prompt and output as the request has them', () => {
    const [cheapPrompt, cheapOutput] = [
      { prompt: 1, completion: 20 },
      { prompt: 2, completion: 8 },
    ];
    // A long prompt and a short answer, and the other way round.
    expect(cost(route(cheapPrompt, { asked: { max_tokens: 10 } }), route(cheapOutput, { asked: { max_tokens: 10 } }))).toEqual([1.2, 2.08]);
    expect(cost(route(cheapPrompt, { bytes: 40 }), route(cheapOutput, { bytes: 40 }))).toEqual([5.13, 2.068]);
  });

  it('counts on the output that the offers of the model have had', () => {
    const price = { prompt: 0, completion: 1 };
    expect(cost(route(price), route(price, { of: health([10, 0, 1_000]) }))).toEqual([1, 1]);
    expect(cost(route(price, { of: health([10, 0, 3_000]) }), route(price, { of: health([10, 0, 1_000]) }))).toEqual([2, 2]);
  });

  it('takes the tier that the prompt reaches', () => {
    const tiered = { prompt: 1, completion: 0, tiers: [{ above: 900, prompt: 3 }] };
    const flat = { prompt: 2, completion: 0 };
    expect(cost(route(tiered), route(flat))).toEqual([3, 2]);
    expect(cost(route(tiered, { bytes: 3_600 }), route(flat, { bytes: 3_600 }))).toEqual([0.9, 1.8]);
  });

  it('counts on the cache as far as the latest answers of the offer did', () => {
    const price = { prompt: 2, completion: 0, cached_input: 0.2 };
    const warm = health([1_000, 900, 5], [1_000, 900, 5]);
    expect(cost(route(price), route(price, { of: warm }), route({ prompt: 1, completion: 0 }, { of: warm }))).toEqual([2, 0.38, 1]);
  });

  it('adds cache writes where the request asks for them, or the vendor makes them unasked', () => {
    const price = { prompt: 1, completion: 0, cache_write_5m: 1.25 };
    const asked = { cache_control: { type: 'ephemeral' } };
    const marked = { messages: [{ role: 'user', content: 'Hi', ...asked }] };
    expect(cost(route(price), route(price, { asked: marked }), route(price, { taken: [] }))).toEqual([1, 1.25, 1.25]);
  });

  it('adds the price of each request', () => {
    const price = { prompt: 0, completion: 0, request: 5 };
    expect(cost(route(price, { calls: 3 }), route({ prompt: 0, completion: 0 }), route(undefined))).toEqual([0.015, 0, 0]);
  });
});
