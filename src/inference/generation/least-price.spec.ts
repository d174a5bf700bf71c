import fc from 'fast-check';
import type { Usage } from '../../wire/usage.js';
import { partsOf } from '../../common/prices/counted-parts.js';
import { charge, parsePrice } from '../../common/prices/credits.js';
import { leastPrice } from './least-price.js';
import { quoteOf } from '../../common/prices/price-quote.js';
import type { Rates } from '../../common/prices/price-components.js';

const least = (one: Parameters<typeof parsePrice>[0], other: Parameters<typeof parsePrice>[0]) =>
  quoteOf(leastPrice(parsePrice(one), parsePrice(other)));

describe('leastPrice', () => {
  it('is the lower of two numbers each', () => {
    expect(least({ prompt: 1, completion: 20 }, { prompt: 3, completion: 10 })).toEqual({ prompt: '1', completion: '10' });
  });

  it('takes a component that one of them lacks for what the other charges instead', () => {
    const one = { prompt: 5, completion: 9, cached_input: 2, reasoning_output: 12, request: 7, search: 3 };
    const other = { prompt: 4, completion: 10, search: 2 };
    expect(least(one, other)).toEqual({
      prompt: '4',
      completion: '9',
      cached_input: '2',
      cached_audio_input: '2',
      reasoning_output: '10',
      search: '2',
    });
  });

  it('has the tiers of both', () => {
    const one = { prompt: 2, completion: 1, tiers: [{ above: 100, prompt: 4 }] };
    const other = { prompt: 3, completion: 1, tiers: [{ above: 200, beyond: true, prompt: 5 }] };
    expect(least(one, other).tiers).toEqual([
      { above: 100, prompt: '3', completion: '1' },
      { above: 200, beyond: true, prompt: '4', completion: '1' },
    ]);
  });

  it('makes nothing dearer than either price', () => {
    const rate = fc.nat(1_000);
    const rates = fc.record(
      { cached_input: rate, cache_write_5m: rate, audio_input: rate, reasoning_output: rate, request: rate, search: rate },
      { requiredKeys: [] },
    );
    const price = fc
      .tuple(rate, rate, rates, fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { maxLength: 3 }), fc.array(fc.boolean()))
      .map(([prompt, completion, own, starts, beyond]) => {
        const tiers = starts
          .toSorted((a, b) => a - b)
          .map((above, index) => ({
            ...Object.fromEntries(Object.entries({ prompt, completion, ...own }).map(([name, value]) => [name, value * (index + 2)])),
            above,
            beyond: beyond[index] ?? false,
          }));
        return parsePrice({ prompt, completion, ...own, tiers });
      });
    const usage: fc.Arbitrary<Usage> = fc.record({
      prompt_tokens: fc.nat(2_000),
      completion_tokens: fc.nat(2_000),
      total_tokens: fc.constant(0),
      prompt_tokens_details: fc.record({ cached_tokens: fc.nat(1_000), cache_creation_tokens: fc.nat(1_000), audio_tokens: fc.nat(500) }),
      completion_tokens_details: fc.record({ reasoning_tokens: fc.nat(1_000), unexplained_tokens: fc.nat(500) }),
      server_tool_use: fc.record({ web_search_requests: fc.nat(5) }),
    });
    const due = (at: Rates, of: Usage) => charge(at, of.prompt_tokens, of.completion_tokens, partsOf(at, [of], { startedAt: 0 }));
    fc.assert(
      fc.property(price, price, usage, (one, other, of) => {
        const lowest = due(leastPrice(one, other), of);
        expect(lowest <= due(one, of) && lowest <= due(other, of)).toBe(true);
      }),
    );
  });
});
