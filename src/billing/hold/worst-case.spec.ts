import * as fc from 'fast-check';
import type { HoldRequest } from './ledger.js';
import { admit, affordableTokens, worstCase } from './worst-case.js';

const nano = fc.bigInt({ min: 0n, max: 10n ** 12n });
const requests = fc
  .record({
    price: fc.record({ prompt: nano, completion: nano }),
    promptTokens: fc.nat({ max: 1_000_000 }),
    choices: fc.integer({ min: 1, max: 128 }),
    maxTokens: fc.integer({ min: 1, max: 1_000_000 }),
    maxTokensMayShrink: fc.boolean(),
    leastTokens: fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined }),
  })
  .map((request) => ({
    ...request,
    leastTokens: request.leastTokens && Math.min(request.leastTokens, request.maxTokens),
  })) as fc.Arbitrary<HoldRequest>;
const available = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.bigInt({ min: 0n, max: 10n ** 6n }));

describe('what is put aside for a request', () => {
  it('is exactly its worst case, and never more than there is', () => {
    fc.assert(
      fc.property(requests, available, (request, there) => {
        const admission = admit(request, there);
        if (admission) {
          expect(admission.amount).toBe(worstCase(request, admission.maxTokens));
          expect(admission.amount <= there).toBe(true);
          expect(admission.maxTokens).toBeLessThanOrEqual(request.maxTokens);
          expect(admission.maxTokens).toBeGreaterThanOrEqual(request.leastTokens ?? 1);
          if (!request.maxTokensMayShrink) expect(admission.maxTokens).toBe(request.maxTokens);
        } else expect(worstCase(request, request.maxTokensMayShrink ? (request.leastTokens ?? 1) : request.maxTokens) > there).toBe(true);
      }),
    );
  });

  it('lowers the tokens no further than it must', () => {
    fc.assert(
      fc.property(requests, available, (request, there) => {
        const tokens = affordableTokens(request, there);
        if (tokens > 0) expect(worstCase(request, tokens) <= there).toBe(true);
        if (tokens < request.maxTokens) expect(worstCase(request, tokens + 1) > there).toBe(true);
      }),
    );
  });

  it('is nothing where the model is free, so that an empty account can use it', () => {
    const request = {
      price: { prompt: 0n, completion: 0n },
      promptTokens: 5,
      choices: 1,
      maxTokens: 7,
      maxTokensMayShrink: true,
    } as HoldRequest;
    expect(admit(request, 0n)).toEqual({ amount: 0n, maxTokens: 7 });
  });

  it('stays exact where numbers would not', () => {
    const request = { price: { prompt: 0n, completion: 10n ** 18n }, promptTokens: 0, choices: 128, maxTokens: 2 ** 40 } as HoldRequest;
    expect(worstCase(request, request.maxTokens)).toBe(10n ** 15n * 128n * 2n ** 40n);
  });
});
