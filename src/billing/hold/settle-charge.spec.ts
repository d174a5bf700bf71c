import * as fc from 'fast-check';
import { charge } from '../../common/credits.js';
import { usageOf } from '../../wire/usage.js';
import type { Outcome } from './ledger.js';
import { settleCharge } from './settle-charge.js';

const price = { prompt: 150n, completion: 600n };
const settle = (outcome: Outcome, prompt: number, completion: number, hold = 10n ** 18n) =>
  settleCharge({ outcome, usage: usageOf(prompt, completion), estimated: false }, hold, price);

describe('what an ending costs', () => {
  it.each([
    ['completed', 9n],
    ['client_left', 9n],
    ['provider_failed', 0n],
    ['idle_timeout', 0n],
    ['empty', 0n],
    ['shutdown', 0n],
  ] as const)('%s: %s nano-credits for 20 and 10 tokens', (outcome, amount) => {
    expect(settle(outcome, 20, 10)).toMatchObject({ promptTokens: 20, completionTokens: 10, amount });
  });

  it('is never more than the hold and never less than nothing, whatever a provider reports', () => {
    const reported = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(NaN, Infinity, -Infinity, Number.MAX_VALUE, -1, 0, 0.5));
    fc.assert(
      fc.property(reported, reported, fc.bigInt({ min: 0n, max: 10n ** 15n }), (prompt, completion, hold) => {
        const { promptTokens, completionTokens, amount } = settle('completed', prompt, completion, hold);
        expect(Number.isSafeInteger(promptTokens) && promptTokens >= 0).toBe(true);
        expect(Number.isSafeInteger(completionTokens) && completionTokens >= 0).toBe(true);
        expect(amount >= 0n && amount <= hold).toBe(true);
        const full = charge(price, promptTokens, completionTokens);
        expect(amount).toBe(full < hold ? full : hold);
      }),
    );
  });

  it('takes a reported zero for zero', () => {
    expect(settle('completed', 0, 0).amount).toBe(0n);
  });

  it('uses the price of the offer that answered', () => {
    const usage = usageOf(1000, 0);
    expect(settleCharge({ outcome: 'completed', usage, estimated: false, price: { prompt: 7n, completion: 0n } }, 100n, price).amount).toBe(
      7n,
    );
  });
});
