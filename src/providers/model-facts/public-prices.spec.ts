import { priceOf, publicPrices } from './public-prices.js';

const now = new Date('2026-11-21T12:00:00Z');

describe('publicPrices', () => {
  it('knows models of the vendors that presets name, and no others', async () => {
    const facts = await publicPrices();
    expect(facts('openai', 'gpt-4o-mini', now)).toEqual({ price: { prompt: '0.00015', completion: '0.0006' }, contextLength: 128_000 });
    expect(facts('groq', 'llama-3.3-70b-versatile', now)?.price).toEqual({ prompt: '0.00059', completion: '0.00079' });
    expect(facts('openai', 'no-such-model', now)).toBeUndefined();
    expect(facts('no-such-vendor', 'gpt-4o', now)).toBeUndefined();
  });

  it('has no price of a model that is paid by the request as well', async () => {
    expect((await publicPrices())('perplexity', 'sonar', now)?.price).toBeUndefined();
  });
});

describe('priceOf', () => {
  const from = (start_date: string) => ({ type: 'start_date' as const, start_date });
  const between = { type: 'time_of_date' as const, start_time: '01:00:00Z', end_time: '04:00:00Z' };
  const tiers = (base: number, price: number) => ({ base, tiers: [{ start: 199_999, price }] });

  it.each([
    ['is exact', { input_mtok: 0.0375, output_mtok: 0.15 }, { prompt: '0.0000375', completion: '0.00015' }],
    ['is the dearest tier', { input_mtok: tiers(2, 4), output_mtok: tiers(10, 15) }, { prompt: '0.004', completion: '0.015' }],
    ['is none without an output', { input_mtok: 0.1 }, undefined],
    ['is none where nothing is told', {}, undefined],
    ['is none where it is zero', { input_mtok: 0, output_mtok: 0 }, undefined],
    ['may be zero on one side', { input_mtok: 0, output_mtok: 1 }, { prompt: '0', completion: '0.001' }],
    ['is none beside a price for requests', { input_mtok: 1, output_mtok: 1, requests_kcount: 5 }, undefined],
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
      'is the dearest hour',
      [
        { prices: { input_mtok: 9, output_mtok: 9 } },
        { constraint: from('2026-08-01'), prices: { input_mtok: 1, output_mtok: 2 } },
        { constraint: between, prices: { input_mtok: 2, output_mtok: 4 } },
      ],
      { prompt: '0.002', completion: '0.004' },
    ],
  ])('%s', (_name, prices, expected) => expect(priceOf({ prices }, now)).toEqual(expected));
});
