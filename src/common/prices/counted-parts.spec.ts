import fc from 'fast-check';
import type { Usage } from '../../wire/usage.js';
import { linesOf, type Parts, sumOfLines, adjustmentsOf } from './charge-lines.js';
import { partsOf } from './counted-parts.js';
import { charge, parsePrice, type PriceQuote, samePrice } from './credits.js';
import { quoteOf } from './price-quote.js';
import { callCeilingOf, priceCeilingOf, highestTier, pricesCacheWrites } from './price-ceiling.js';
import { componentNames, inputComponents, outputComponents } from '../../wire/price-component.js';
import { componentsFromText } from './price-components.js';
import { isWithin, nameOfHours, parseHours } from './price-hours.js';

const claude: PriceQuote = {
  prompt: '0.003',
  completion: '0.015',
  cached_input: '0.0003',
  cache_write_5m: '0.00375',
  cache_write_1h: '0.006',
  search: 10,
  tiers: [
    { above: 200_000, prompt: '0.006', completion: '0.0225', cached_input: '0.0006', cache_write_5m: '0.0075', cache_write_1h: '0.012' },
  ],
};

/** Two in the morning of a Monday. */
const now = { startedAt: Date.UTC(2026, 10, 23, 2) };

const flexible: PriceQuote = {
  prompt: 1,
  completion: 2,
  cached_input: '0.1',
  tiers: [{ above: 100, prompt: 3 }],
  service_tiers: { flex: { prompt: '0.5', completion: 1, tiers: [] }, priority: { prompt: 2, completion: 4, request: 5 } },
};
const nightly = (days?: 'mon'[]): PriceQuote => ({
  prompt: 1,
  completion: 2,
  cached_input: '0.1',
  hours: [{ from: '22:00', to: '02:30', days, prompt: '0.5', cached_input: '0.05' }],
});

const of = (prompt_tokens: number, completion_tokens: number, details: Partial<Usage> = {}): Usage => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
  ...details,
});

describe('partsOf', () => {
  it.each<[string, PriceQuote, Usage, Parts | undefined, bigint]>([
    [
      'two numbers have no parts',
      { prompt: 1, completion: 1 },
      of(5, 5, { prompt_tokens_details: { cached_tokens: 3 } }),
      undefined,
      10_000_000n,
    ],
    [
      'cached tokens are no longer prompt',
      claude,
      of(1000, 10, { prompt_tokens_details: { cached_tokens: 900 } }),
      { cached_input: 900 },
      720_000n,
    ],
    [
      'writes by how long they are kept',
      claude,
      of(1000, 0, {
        prompt_tokens_details: {
          cache_creation_tokens: 900,
          cache_creation_token_details: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 500 },
        },
      }),
      { cache_write_5m: 400, cache_write_1h: 500 },
      4_800_000n,
    ],
    [
      'a tier is charged for the whole request',
      claude,
      of(200_001, 10, { prompt_tokens_details: { cached_tokens: 200_000 } }),
      { 'cached_input>200000': 200_000, 'prompt>200000': 1, 'completion>200000': 10 },
      120_231_000n,
    ],
    ['a tier begins above its tokens', claude, of(200_000, 0), undefined, 600_000_000n],
    [
      'where what was cached stays in its place, with a rate of its own or without',
      { prompt: 1, completion: 2, cache_write_5m: 1, tiers: [{ above: 1, beyond: true, cache_write_5m: 2 }] },
      of(2, 0, { prompt_tokens_details: { cached_tokens: 1, cache_creation_tokens: 1 } }),
      { 'cache_write_5m>1': 1 },
      3_000_000n,
    ],
    [
      'or for the part beyond, from the end of the prompt',
      { prompt: 1, completion: 2, cached_input: '0.1', tiers: [{ above: 100, beyond: true, prompt: 3, cached_input: '0.2' }] },
      of(200, 10, { prompt_tokens_details: { cached_tokens: 130 } }),
      { cached_input: 100, 'cached_input>100': 30, 'prompt>100': 70 },
      246_000_000n,
    ],
    [
      'details for which there is no rate stay in their total',
      { ...claude, tiers: [] },
      of(9, 9, { prompt_tokens_details: { audio_tokens: 4 } }),
      undefined,
      162_000n,
    ],
    ['searches', claude, of(0, 0, { server_tool_use: { web_search_requests: 3 } }), { search: 3 }, 30_000_000n],
    ['a price for each request', { prompt: 1, completion: 1, request: 5 }, of(1, 1), { request: 1 }, 7_000_000n],
    [
      'requests and searches at the tier that the prompt reaches',
      { prompt: 1, completion: 1, request: 5, tiers: [{ above: 9, request: 50, search: 10 }] },
      of(10, 1, { server_tool_use: { web_search_requests: 2 } }),
      { 'prompt>9': 10, 'completion>9': 1, 'request>9': 1, 'search>9': 2 },
      81_000_000n,
    ],
    [
      'also where only what is beyond it costs more',
      { prompt: 1, completion: 1, tiers: [{ above: 9, beyond: true, request: 50 }] },
      of(10, 1),
      { 'prompt>9': 1, 'request>9': 1 },
      61_000_000n,
    ],
    [
      'reasoning, and what nothing explains at the dearest',
      { prompt: 1, completion: 2, reasoning_output: 3 },
      of(0, 100, { completion_tokens_details: { reasoning_tokens: 60, unexplained_tokens: 10 } }),
      { reasoning_output: 60, unexplained_output: 10 },
      270_000_000n,
    ],
    [
      'cached audio at its own rate',
      { prompt: '0.3', completion: 1, cached_input: '0.03', audio_input: 1, cached_audio_input: '0.1' },
      of(100, 0, { prompt_tokens_details: { cached_tokens: 50, cached_tokens_details: { audio_tokens: 20 }, audio_tokens: 30 } }),
      { cached_input: 30, cached_audio_input: 20, audio_input: 10 },
      25_000_000n - 100_000n,
    ],
    [
      'cached and audio overlap as little as their total permits',
      { prompt: 1, completion: 1, cached_input: '0.1', audio_input: 5 },
      of(100, 0, { prompt_tokens_details: { cached_tokens: 60, audio_tokens: 50 } }),
      { cached_input: 50, cached_audio_input: 10, audio_input: 40 },
      255_000_000n,
    ],
    [
      'the service tier that the vendor reports',
      flexible,
      of(10, 5, { service_tier: 'flex', prompt_tokens_details: { cached_tokens: 4 } }),
      { 'cached_input@flex': 4, 'prompt@flex': 6, 'completion@flex': 5 },
      8_400_000n,
    ],
    [
      'at a tier that a service tier has from the base, where it is dearer',
      flexible,
      of(200, 5, { service_tier: 'priority' }),
      { 'prompt@priority>100': 200, 'completion@priority>100': 5, 'request@priority>100': 1 },
      625_000_000n,
    ],
    ['the base, where the vendor reports it', flexible, of(10, 5, { service_tier: 'default' }), undefined, 20_000_000n],
    ['the base, where nobody has said otherwise', flexible, of(10, 5), undefined, 20_000_000n],
    [
      'the hours in which it begins, past midnight',
      nightly(),
      of(10, 5, { prompt_tokens_details: { cached_tokens: 4 } }),
      { 'cached_input@22:00-02:30': 4, 'prompt@22:00-02:30': 6, 'completion@22:00-02:30': 5 },
      13_200_000n,
    ],
    ['on the days on which they begin: it was Sunday', nightly(['mon']), of(10, 5), undefined, 20_000_000n],
  ])('%s', (_name, quote, usage, parts, nano) => {
    const price = parsePrice(quote);
    expect(partsOf(price, [usage], now)).toEqual(parts);
    expect(charge(price, usage.prompt_tokens, usage.completion_tokens, partsOf(price, [usage], now))).toBe(nano);
  });

  it.each([
    ['flex', 'an answer that reports nothing may have been served without it', 20_000_000n],
    ['priority', 'an answer that reports nothing may have been served at it', 45_000_000n],
    ['auto', 'the vendor may have chosen any', 45_000_000n],
    ['unheard-of', 'nobody has a price for it', 20_000_000n],
  ])('asked for %s: %s', (serviceTier, _why, nano) => {
    const price = parsePrice(flexible);
    const [silent, strange] = [of(10, 5), of(10, 5, { service_tier: 'strange' })];
    for (const usage of [silent, strange]) expect(charge(price, 10, 5, partsOf(price, [usage], { ...now, serviceTier }))).toBe(nano);
    expect(charge(price, 10, 5, partsOf(price, [of(10, 5, { service_tier: 'default' })], { ...now, serviceTier }))).toBe(20_000_000n);
  });

  const count = fc.oneof(fc.nat(400_000), fc.integer(), fc.double(), fc.constant(undefined));
  const details = (...names: string[]) => fc.record(Object.fromEntries(names.map((name) => [name, count])), { requiredKeys: [] });
  const usages = fc.record({
    prompt_tokens: fc.nat(400_000),
    completion_tokens: fc.nat(400_000),
    total_tokens: fc.constant(0),
    prompt_tokens_details: fc
      .tuple(
        details('cached_tokens', 'cache_creation_tokens', 'audio_tokens', 'image_tokens', 'video_tokens', 'file_tokens'),
        details('ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'),
        details('audio_tokens', 'image_tokens'),
      )
      .map(([all, cache_creation_token_details, cached_tokens_details]) => ({
        ...all,
        cache_creation_token_details,
        cached_tokens_details,
      })),
    completion_tokens_details: details('reasoning_tokens', 'audio_tokens', 'image_tokens', 'citation_tokens', 'unexplained_tokens'),
    server_tool_use: details('web_search_requests', 'hosted_calls'),
    service_tier: fc.constantFrom(undefined, 'flex', 'priority', 'default', 'strange'),
  }) as fc.Arbitrary<Usage>;
  const decimal = fc.nat(10 ** 6).map((micros) => (micros / 1e6).toFixed(6));
  const components = fc.record(Object.fromEntries(componentNames.map((name) => [name, decimal])), { requiredKeys: [] });
  const tiers = fc.uniqueArray(
    fc.tuple(fc.nat(300_000), fc.boolean(), decimal, components).map(([above, beyond, prompt, own]) => ({ ...own, above, beyond, prompt })),
    { maxLength: 3, selector: ({ above }) => above },
  );
  const variant = fc
    .tuple(components, fc.option(decimal, { nil: undefined }), fc.option(tiers, { nil: undefined }))
    .map(([own, prompt, levels]) => ({ ...own, prompt, tiers: levels }));
  const time = fc.nat(23).map((hour) => `${String(hour).padStart(2, '0')}:00`);
  const hours = fc.tuple(time, time, variant).map(([from, to, own]) => ({ from, to, ...own }));
  const quotes = fc
    .tuple(
      decimal,
      decimal,
      components,
      tiers,
      fc.record({ flex: variant, priority: variant }, { requiredKeys: [] }),
      fc.uniqueArray(hours, { maxLength: 2, selector: ({ from, to }) => `${from}-${to}` }),
    )
    .map(([prompt, completion, own, levels, service_tiers, hourly]): PriceQuote => ({
      prompt,
      completion,
      ...own,
      tiers: levels,
      service_tiers,
      hours: hourly,
    }));
  const whens = fc.record({
    startedAt: fc.nat(86_400_000 * 7),
    serviceTier: fc.constantFrom(undefined, 'flex', 'priority', 'auto'),
  });

  it('gives disjoint counts, which come to the totals whatever a provider says', () => {
    fc.assert(
      fc.property(quotes, fc.array(usages, { minLength: 1, maxLength: 3 }), whens, (quote, calls, when) => {
        const price = parsePrice(quote);
        const [prompt, completion] = [sum(calls.map((one) => one.prompt_tokens)), sum(calls.map((one) => one.completion_tokens))];
        const lines = linesOf(price, prompt, completion, partsOf(price, calls, when));
        expect(lines.every(({ count: units, rate }) => units > 0 && rate >= 0n)).toBe(true);
        const come = (names: object, base: string[]) =>
          sum(lines.filter(({ name }) => Object.hasOwn(names, name) || base.includes(name)).map((line) => Number(line.count)));
        expect(come(inputComponents, ['prompt'])).toBe(prompt);
        expect(come(outputComponents, ['completion', 'unexplained_output'])).toBe(completion);
        expect(charge(price, prompt, completion, partsOf(price, calls, when))).toBe((sumOfLines(lines) + 999n) / 1000n);
      }),
    );
  });

  it('does not depend on the order of calls, nor on how their counts are gathered', () => {
    fc.assert(
      fc.property(quotes, fc.array(usages, { minLength: 2, maxLength: 4 }), whens, (quote, calls, when) => {
        const price = parsePrice(quote);
        const total = (some: readonly Usage[], parts: Parts | undefined) =>
          charge(price, sum(some.map((one) => one.prompt_tokens)), sum(some.map((one) => one.completion_tokens)), parts);
        const together = total(calls, partsOf(price, calls, when));
        expect(total(calls, partsOf(price, calls.toReversed(), when))).toBe(together);
        const apart = calls.reduce((all, one) => all + total([one], partsOf(price, [one], when)), 0n);
        // Each call by itself is rounded up once.
        expect(apart >= together && apart < together + BigInt(calls.length)).toBe(true);
      }),
    );
  });

  it('never costs more than the ceiling, whatever a provider says that was asked for', () => {
    fc.assert(
      fc.property(quotes, usages, whens, fc.nat(60_000), (quote, usage, when, later) => {
        const price = parsePrice(quote);
        const { prompt_tokens: prompt, completion_tokens: completion, service_tier: reported } = usage;
        const asked = when.serviceTier === 'auto' ? reported : when.serviceTier;
        const service_tier = reported === 'default' ? reported : asked;
        const use = { ...when, promptTokens: prompt, cacheWrites: true, media: true, mediaOutput: true };
        const [most, requests] = [priceCeilingOf(price, use), callCeilingOf(price, ['request'], use)];
        const begun = { ...when, startedAt: when.startedAt + later };
        const due = charge(price, prompt, completion, partsOf(price, [{ ...usage, service_tier, server_tool_use: {} }], begun));
        expect(due <= charge(most, prompt, completion) + (requests + 999n) / 1000n).toBe(true);
      }),
    );
  });

  it('is read from its text as it was', () => {
    fc.assert(
      fc.property(quotes, (quote) => {
        const price = parsePrice(quote);
        const { components: told } = price;
        if (told) expect(componentsFromText(told.text)).toEqual(told);
        expect(samePrice(parsePrice(quoteOf(price)), price)).toBe(true);
      }),
    );
  });
});

it('cache writes are priced only where the price says so', () => {
  expect(pricesCacheWrites(parsePrice(claude), '1h')).toBe(true);
  expect(pricesCacheWrites(parsePrice({ prompt: 1, completion: 1, cache_write_5m: 2 }))).toBe(true);
  expect(pricesCacheWrites(parsePrice({ prompt: 1, completion: 1, cache_write_5m: 2 }), '1h')).toBe(false);
  expect(pricesCacheWrites(parsePrice({ prompt: 1, completion: 1 }))).toBe(false);
  expect(pricesCacheWrites(parsePrice({ prompt: 0, completion: 0 }), '1h')).toBe(true);
});

it('the ceiling leaves out what cannot be', () => {
  const price = parsePrice(claude);
  const use = { startedAt: 0, promptTokens: 1000, cacheWrites: false, media: false, mediaOutput: false };
  expect(priceCeilingOf(price, use)).toEqual({ prompt: 3_000_000n, completion: 15_000_000n });
  expect(priceCeilingOf(price, { ...use, cacheWrites: true }).prompt).toBe(6_000_000n);
  expect(priceCeilingOf(price, { ...use, promptTokens: 200_001 })).toEqual({ prompt: 6_000_000n, completion: 22_500_000n });
  expect(highestTier(price)).toEqual({ prompt: 6_000_000n, completion: 22_500_000n });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

const lines = linesOf(parsePrice({ prompt: '0.0000015', completion: '0.000002', request: 1 }), 3, 1, {});

it.each([
  ['the rounding alone', 7n, 0n, { rounding: 500n }],
  ['what the hold has cut', 5n, 0n, { rounding: 500n, 'beyond the hold': -2_000n }],
  ['what could not be collected', 7n, 3n, { rounding: 500n, uncollected: -3_000n }],
  ['all of them', 5n, 3n, { rounding: 500n, 'beyond the hold': -2_000n, uncollected: -3_000n }],
  ['a failure, which is not charged', 0n, 0n, { rounding: 500n, 'not charged': -7_000n }],
])('lines come to what was charged with %s', (_what, due, uncollected, expected) => {
  const adjustments = adjustmentsOf(lines, due, uncollected);
  expect(Object.fromEntries(adjustments.map(({ name, amount }) => [name, amount]))).toEqual(expected);
  expect(adjustments.reduce((all, { amount }) => all + amount, sumOfLines(lines))).toBe((due - uncollected) * 1000n);
});

/** A Monday. */
const monday = (hours: number, minutes = 0) => Date.UTC(2026, 10, 23, hours, minutes);

describe('the hours of a price', () => {
  it.each([
    ['01:00', '04:00', undefined, [monday(1), monday(3, 59)], [monday(0, 59), monday(4)]],
    ['22:00', '02:00', undefined, [monday(22), monday(23, 59), monday(24), monday(1, 59)], [monday(2), monday(21, 59)]],
    ['22:00', '24:00', undefined, [monday(22), monday(23, 59)], [monday(24), monday(21, 59)]],
    ['01:00', '04:00', ['mon'], [monday(1)], [monday(1 + 24), monday(1 - 24)]],
    ['22:00', '02:00', ['mon'], [monday(22), monday(25)], [monday(1), monday(46)]],
    ['00:00', '24:00', ['sun'], [monday(-1)], [monday(0)]],
  ] as const)('%s to %s, %s', (from, to, days, inside, outside) => {
    const hours = parseHours({ from, to, days });
    expect(inside.map((at) => isWithin(hours, at))).toEqual(inside.map(() => true));
    expect(outside.map((at) => isWithin(hours, at))).toEqual(outside.map(() => false));
  });

  it('are named as they are told', () => {
    expect(nameOfHours(parseHours({ from: '01:05', to: '24:00' }))).toBe('01:05-24:00');
    expect(nameOfHours(parseHours({ from: '22:00', to: '02:00', days: ['mon', 'tue'] }))).toBe('22:00-02:00 mon,tue');
  });

  it.each(['24:01', '25:00', '1:00', '12:60', 'noon', ''])('are none at %j', (time) =>
    expect(() => parseHours({ from: time, to: '12:00' })).toThrow(RangeError),
  );
});
