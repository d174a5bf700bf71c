import * as fc from 'fast-check';
import { charge } from '../../common/credits.js';
import { usageOf } from '../../wire/usage.js';
import type { Outcome } from './ledger.js';
import { settleCharge } from './settle-charge.js';

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
