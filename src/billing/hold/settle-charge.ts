import { charge, lesser, type Price } from '../../common/credits.js';
import { chargeable, type Settlement } from './ledger.js';

/** What a settlement comes to. */
export interface Charge {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly price: Price;
  /** Nano-credits, at most the hold. */
  readonly amount: bigint;
}

/** More tokens than any answer has. A provider that reports more is not believed. */
const MAX_REPORTED = 1_000_000_000;

/** What a request costs: never more than its hold, whatever a provider says that it has used. */
export function settleCharge(settlement: Settlement, hold: bigint, holdPrice: Price): Charge {
  const promptTokens = tokens(settlement.usage.prompt_tokens);
  const completionTokens = tokens(settlement.usage.completion_tokens);
  const price = settlement.price ?? holdPrice;
  const full = chargeable(settlement.outcome) ? charge(price, promptTokens, completionTokens) : 0n;
  return { promptTokens, completionTokens, price, amount: lesser(full, hold) };
}

/** The count that a provider reported, as an integer that is not negative. */
function tokens(reported: number): number {
  return Number.isFinite(reported) && reported > 0 ? Math.min(Math.ceil(reported), MAX_REPORTED) : 0;
}
