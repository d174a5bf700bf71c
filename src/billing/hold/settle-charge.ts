import type { Parts } from '../../common/prices/charge-lines.js';
import { partsOf } from '../../common/prices/counted-parts.js';
import { charge, lesser, type Price } from '../../common/prices/credits.js';
import type { Usage } from '../../wire/usage.js';
import { chargeable, type Settlement } from './ledger.js';

/** What a settlement comes to, in nano-credits. */
interface Due {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly price: Price;
  /** Those of the tokens, and the calls, that are charged otherwise than at the base prices. */
  readonly parts?: Parts | undefined;
  readonly due: bigint;
}

/** Who pays what is due. */
export interface Charge extends Omit<Due, 'due'> {
  /** Nano-credits that the lease pays: out of the hold and, beyond it, out of what was free. */
  readonly amount: bigint;
  /** Nano-credits beyond that, which are to be collected from the balance as far as it goes. */
  readonly excess: bigint;
}

/** More tokens than any answer has: what is due stays below 64 bits. */
const MAX_REPORTED = 1_000_000_000;

/**
 * What a request costs: what its provider has counted, and never more than its hold where the gateway has counted. Its
 * client has agreed to the hold, and only a provider knows of tokens beyond it.
 * @param startedAt milliseconds since 1970
 */
export function settleCharge(settlement: Settlement, hold: bigint, holdPrice: Price, startedAt: number): Due {
  const promptTokens = tokens(settlement.usage.prompt_tokens);
  const completionTokens = tokens(settlement.usage.completion_tokens);
  const price = settlement.price ?? holdPrice;
  const { serviceTier } = settlement;
  const parts = price.components && partsOf(price, callsWithin(settlement, promptTokens, completionTokens), { startedAt, serviceTier });
  const full = chargeable(settlement.outcome) ? charge(price, promptTokens, completionTokens, parts) : 0n;
  return { promptTokens, completionTokens, price, parts, due: settlement.estimated ? lesser(full, hold) : full };
}

/**
 * What the provider had told of an answer that was left, in the place of the gateway's count, where that alone costs
 * more than the hold.
 * @param startedAt milliseconds since 1970
 */
export function toldBeyond(settlement: Settlement, hold: bigint, holdPrice: Price, startedAt: number): Settlement {
  if (!settlement.told || !settlement.estimated) return settlement;
  const { told, calls: _calls, ...ending } = settlement;
  const counted = { ...ending, usage: told, estimated: false };
  return settleCharge(counted, hold, holdPrice, startedAt).due > hold ? counted : settlement;
}

/** The usage of each call, cut so that they do not come to more than the totals. */
function callsWithin({ usage, calls }: Settlement, promptTokens: number, completionTokens: number): readonly Usage[] {
  if (!calls && usage.prompt_tokens === promptTokens && usage.completion_tokens === completionTokens) return [usage];
  let [prompt, completion] = [promptTokens, completionTokens];
  return (calls ?? [usage]).map((call) => {
    const prompt_tokens = Math.min(tokens(call.prompt_tokens), prompt);
    const completion_tokens = Math.min(tokens(call.completion_tokens), completion);
    prompt -= prompt_tokens;
    completion -= completion_tokens;
    return { ...call, prompt_tokens, completion_tokens };
  });
}

/** The count that a provider reported, as an integer that is not negative. */
function tokens(reported: number): number {
  return Number.isFinite(reported) && reported > 0 ? Math.min(Math.ceil(reported), MAX_REPORTED) : 0;
}
