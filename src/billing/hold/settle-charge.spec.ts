import * as fc from 'fast-check';
import { charge } from '../../common/prices/credits.js';
import { usageOf } from '../../wire/usage.js';
import type { HoldRequest, Outcome } from './ledger.js';
import { settleCharge } from './settle-charge.js';
import { admit, worstCase } from './worst-case.js';

const price = { prompt: 150n, completion: 600n };
const settle = (outcome: Outcome, prompt: number, completion: number, hold = 10n ** 18n, estimated = false) =>
  settleCharge({ outcome, usage: usageOf(prompt, completion), estimated }, hold, price, 0);

describe('what an ending costs', () => {
  it.each([
    ['completed', 9n],
    ['client_left', 9n],
    ['client_slow', 9n],
    ['limit_reached', 9n],
    ['provider_failed', 0n],
    ['idle_timeout', 0n],
    ['empty', 0n],
    ['shutdown', 0n],
  ] as const)('%s: %s nano-credits for 20 and 10 tokens', (outcome, due) => {
    expect(settle(outcome, 20, 10)).toMatchObject({ promptTokens: 20, completionTokens: 10, due });
  });

  it('is what a provider has counted, and what the gateway has counted at most the hold, whatever the counts are', () => {
    const reported = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(NaN, Infinity, -Infinity, Number.MAX_VALUE, -1, 0, 0.5));
    fc.assert(
      fc.property(reported, reported, fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.boolean(), (prompt, completion, hold, estimated) => {
        const { promptTokens, completionTokens, due } = settle('completed', prompt, completion, hold, estimated);
        expect(Number.isSafeInteger(promptTokens) && promptTokens >= 0).toBe(true);
        expect(Number.isSafeInteger(completionTokens) && completionTokens >= 0).toBe(true);
        const full = charge(price, promptTokens, completionTokens);
        expect(due).toBe(estimated && full > hold ? hold : full);
      }),
    );
  });

  it('takes a reported zero for zero', () => {
    expect(settle('completed', 0, 0).due).toBe(0n);
  });

  it('uses the price of the offer that answered', () => {
    const usage = usageOf(1000, 0);
    const settlement = { outcome: 'completed', usage, estimated: false, price: { prompt: 7n, completion: 0n } } as const;
    expect(settleCharge(settlement, 100n, price, 0).due).toBe(7n);
  });
});

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
        const tokens = admit({ ...request, maxTokensMayShrink: true, leastTokens: 1 }, there)?.maxTokens ?? 0;
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
