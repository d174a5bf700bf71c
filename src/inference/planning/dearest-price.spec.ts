import fc from 'fast-check';
import { settleCharge } from '../../billing/hold/settle-charge.js';
import { worstCase } from '../../billing/hold/worst-case.js';
import { parsePrice } from '../../common/prices/credits.js';
import { componentNames } from '../../wire/price-component.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import type { Usage } from '../../wire/usage.js';
import { dearestPrice } from './dearest-price.js';
import type { UpstreamCall } from './upstream-call.js';

const chat = (more: object = {}): ChatGenerationRequest => ({
  operation: 'chat',
  model: 'm',
  stream: false,
  n: 1,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x', ...more }] }],
});
const marked = { cache_control: { type: 'ephemeral' } };
const call = (promptBound: number, request = chat()): UpstreamCall => ({ request, firstIndex: 0, promptBytes: 1, promptBound });
const night = Date.UTC(2026, 10, 23, 2);
const route = (price: ReturnType<typeof parsePrice>, calls: UpstreamCall[], parameters: string[] = []) => ({
  offer: { price, parameters: new Set(parameters), hostedCalls: [], listsHostedCalls: false },
  calls,
});
const cached = parsePrice({ prompt: 1, completion: 2, cached_input: '0.1', cache_write_5m: '1.25', tiers: [{ above: 100, prompt: 2 }] });

describe('the dearest price of a request', () => {
  it('is the price itself where it has two numbers', () => {
    const price = parsePrice({ prompt: 1, completion: 2 });
    expect(dearestPrice([route(price, [call(5)])], night)).toEqual({ price });
  });

  it.each([
    ['without a mark', ['cache_control'], chat(), 5, 1],
    ['with a mark', ['cache_control'], chat(marked), 5, 1.25],
    ['where the vendor writes as it sees fit', [], chat(), 5, 1.25],
    ['at the tier that the prompt can reach', ['cache_control'], chat(), 101, 2],
    ['of which an image is a part that has no price', ['cache_control'], chat({ type: 'image_url' }), 5, 1],
  ] as const)('%s', (_name, parameters, request, bound, prompt) => {
    const { price, ceiling } = dearestPrice([route(cached, [call(bound, request)], [...parameters])], night);
    expect(price).toBe(cached);
    expect(Number(ceiling!.prompt) / 1e9).toBe(prompt);
  });

  it('is that of the dearest of several routes, part by part', () => {
    const other = parsePrice({ prompt: '0.5', completion: 3, request: 7 });
    const { ceiling, fixed } = dearestPrice([route(cached, [call(5)], ['cache_control']), route(other, [call(5), call(5)])], night);
    expect(ceiling).toEqual({ prompt: 1_000_000_000n, completion: 3_000_000_000n });
    expect(fixed).toBe(14_000_000n);
  });

  it('covers the charge of every usage within what was asked', () => {
    const decimal = fc.nat(1_000).map((thousandths) => (thousandths / 1_000).toFixed(3));
    const text = componentNames.filter((name) => !/image|audio|video|file|search|hosted/.test(name));
    const components = fc.record(Object.fromEntries(text.map((name) => [name, decimal])), { requiredKeys: [] });
    const tier = fc
      .tuple(fc.nat(1_000), fc.boolean(), decimal, components)
      .map(([above, beyond, prompt, own]) => ({ ...own, above, beyond, prompt }));
    const tiersOf = fc.uniqueArray(tier, { maxLength: 2, selector: ({ above }) => above });
    const level = fc.tuple(decimal, components, tiersOf).map(([prompt, own, tiers]) => ({ ...own, prompt, tiers }));
    const price = fc
      .tuple(decimal, decimal, components, tiersOf, fc.record({ flex: level, priority: level }, { requiredKeys: [] }), level)
      .map(([prompt, completion, own, tiers, service_tiers, hours]) =>
        parsePrice({ prompt, completion, ...own, tiers, service_tiers, hours: [{ from: '10:00', to: '12:00', ...hours }] }),
      );
    /** What is asked for, and what the vendor reports of each call. */
    const service = fc.constantFrom<(readonly [string | undefined, string | undefined])[]>(
      [undefined, undefined],
      [undefined, 'default'],
      ['flex', 'flex'],
      ['flex', 'default'],
      ['priority', 'priority'],
      ['priority', undefined],
      ['auto', 'flex'],
      ['auto', undefined],
    );
    const part = fc.nat(2_000);
    const usage = fc
      .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(50), part, part, part, part)
      .map(
        ([share, completion_tokens, cached_tokens, cache_creation_tokens, reasoning_tokens, unexplained_tokens]) =>
          (bound: number): Usage => ({
            prompt_tokens: Math.floor(share * bound),
            completion_tokens,
            total_tokens: 0,
            prompt_tokens_details: { cached_tokens, cache_creation_tokens },
            completion_tokens_details: { reasoning_tokens, unexplained_tokens },
          }),
      );
    const calls = fc.array(fc.tuple(fc.nat(1_500), usage), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(price, calls, service, fc.nat(86_400_000), fc.nat(60_000), (one, asked, [serviceTier, reported], now, later) => {
        const extra = serviceTier === undefined ? undefined : { service_tier: serviceTier };
        const planned = asked.map(([bound]) => call(bound, { ...chat(marked), extra }));
        const usages = asked.map(([bound, used]) => ({ ...used(bound), ...(reported !== undefined && { service_tier: reported }) }));
        const begun = now + later;
        const sum = (name: 'prompt_tokens' | 'completion_tokens') => usages.reduce((all, used) => all + used[name], 0);
        const total = { prompt_tokens: sum('prompt_tokens'), completion_tokens: sum('completion_tokens'), total_tokens: 0 };
        const promptTokens = asked.reduce((all, [bound]) => all + bound, 0);
        const hold = worstCase({ ...dearestPrice([route(one, planned, ['cache_control'])], now), promptTokens, choices: asked.length }, 50);
        const { due } = settleCharge(
          { outcome: 'completed', usage: total, calls: usages, estimated: false, price: one, serviceTier },
          hold,
          one,
          begun,
        );
        expect(due <= hold).toBe(true);
      }),
    );
  });
});
