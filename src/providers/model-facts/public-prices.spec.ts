import { parsePrice } from '../../common/prices/credits.js';
import { quoteOf } from '../../common/prices/price-quote.js';
import { priceOf, publicPrices } from './public-prices.js';

const now = new Date('2026-11-21T12:00:00Z');

describe('publicPrices', () => {
  it('knows models of the vendors that presets name, and no others', async () => {
    const facts = await publicPrices();
    expect(facts('openai', 'gpt-4o-mini', now)).toEqual({
      price: { prompt: '0.00015', completion: '0.0006', cached_input: '0.000075', search: '10' },
      contextLength: 128_000,
    });
    expect(facts('groq', 'llama-3.3-70b-versatile', now)?.price).toEqual({ prompt: '0.00059', completion: '0.00079' });
    expect(facts('openai', 'no-such-model', now)).toBeUndefined();
    expect(facts('no-such-vendor', 'gpt-4o', now)).toBeUndefined();
  });

  it('tells caches, tiers and calls as the vendor prices them', async () => {
    const facts = await publicPrices();
    expect(facts('anthropic', 'claude-opus-5-5', now)?.price).toEqual({
      prompt: '0.004',
      completion: '0.02',
      cached_input: '0.0002',
      cache_write_5m: '0.005',
      cache_write_1h: '0.008',
      search: '10',
    });
    expect(facts('google', 'gemini-3.1-pro-preview', now)?.price).toEqual({
      prompt: '0.002',
      completion: '0.012',
      cached_input: '0.0002',
      tiers: [{ above: 200_000, prompt: '0.004', completion: '0.018', cached_input: '0.0004' }],
    });
    expect(facts('google', 'gemini-2.5-flash-lite', now)?.price).toMatchObject({ audio_input: '0.0003', cached_audio_input: '0.00003' });
    expect(facts('perplexity', 'sonar', now)?.price).toEqual({ prompt: '0.001', completion: '0.001', request: '12' });
  });

  it('tells the hours at which a vendor charges otherwise', async () => {
    const facts = await publicPrices();
    expect(facts('deepseek', 'deepseek-v4-flash', now)?.price).toEqual({
      prompt: '0.00022',
      completion: '0.00066',
      cached_input: '0.000007',
      hours: ['01:00-04:00', '06:00-10:00'].map((hours) => ({
        from: hours.slice(0, 5),
        to: hours.slice(6),
        prompt: '0.00044',
        completion: '0.00132',
        cached_input: '0.000014',
        tiers: [],
      })),
    });
  });

  it('has every price in a form that can be charged', async () => {
    const facts = await publicPrices();
    const { findProvider } = await import('@pydantic/genai-prices');
    for (const vendor of ['openai', 'anthropic', 'google', 'x-ai', 'deepseek', 'mistral', 'groq', 'perplexity', 'aws', 'openrouter'])
      for (const { id } of findProvider({ providerId: vendor })!.models) {
        const { price } = facts(vendor, id, now) ?? {};
        if (price) expect(quoteOf(parsePrice(price))).toEqual(price);
      }
  });
});

describe('priceOf', () => {
  const from = (start_date: string) => ({ type: 'start_date' as const, start_date });
  const between = { type: 'time_of_date' as const, start_time: '01:00:00Z', end_time: '04:00:00Z' };
  const tiers = (base: number, price: number) => ({ base, tiers: [{ start: 199_999, price }] });

  it.each([
    ['is exact', { input_mtok: 0.0375, output_mtok: 0.15 }, { prompt: '0.0000375', completion: '0.00015' }],
    [
      'has tiers',
      { input_mtok: tiers(2, 4), output_mtok: 10, cache_read_mtok: tiers(0.2, 0.4) },
      {
        prompt: '0.002',
        completion: '0.01',
        cached_input: '0.0002',
        tiers: [{ above: 199_999, prompt: '0.004', completion: '0.01', cached_input: '0.0004' }],
      },
    ],
    ['is none without an output', { input_mtok: 0.1 }, undefined],
    ['is none where nothing is told', {}, undefined],
    ['is none where it is zero', { input_mtok: 0, output_mtok: 0 }, undefined],
    ['may be zero on one side', { input_mtok: 0, output_mtok: 1 }, { prompt: '0', completion: '0.001' }],
    [
      'has what a request costs',
      { input_mtok: 1, output_mtok: 1, requests_kcount: 5 },
      { prompt: '0.001', completion: '0.001', request: '5' },
    ],
    [
      'is the last that has begun',
      [
        { prices: { input_mtok: 5, output_mtok: 5 } },
        { constraint: from('2026-08-01'), prices: { input_mtok: 4, output_mtok: 4 } },
        { constraint: from('2026-12-01'), prices: { input_mtok: 9, output_mtok: 9 } },
      ],
      { prompt: '0.004', completion: '0.004' },
    ],
    [
      'has hours of the day',
      [
        { prices: { input_mtok: 9, output_mtok: 9 } },
        { constraint: from('2026-08-01'), prices: { input_mtok: 1, output_mtok: 2 } },
        { constraint: between, prices: { input_mtok: 2, output_mtok: 4 } },
      ],
      { prompt: '0.001', completion: '0.002', hours: [{ from: '01:00', to: '04:00', prompt: '0.002', completion: '0.004', tiers: [] }] },
    ],
    [
      'is the dearest of hours that are told in another way',
      [
        { prices: { input_mtok: 1, output_mtok: 2 } },
        { constraint: { ...between, start_time: '01:00:00+08:00' }, prices: { input_mtok: 2, output_mtok: 1 } },
      ],
      { prompt: '0.002', completion: '0.002' },
    ],
  ])('%s', (_name, prices, expected) => expect(priceOf({ prices }, now)).toEqual(expected));
});
