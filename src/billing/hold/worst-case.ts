import { charge } from '../../common/prices/credits.js';
import type { HoldRequest } from './ledger.js';

type Priced = Pick<HoldRequest, 'price' | 'ceiling' | 'fixed' | 'promptTokens' | 'choices'>;

/** Nano-credits that a request costs at most with so many output tokens a choice. */
export function worstCase({ price, ceiling = price, fixed = 0n, promptTokens, choices }: Priced, maxTokens: number): bigint {
  return charge(ceiling, promptTokens, BigInt(maxTokens) * BigInt(choices)) + fixed;
}

/** Output tokens a choice, no more than were asked for, whose worst case `available` nano-credits can pay. */
function affordableTokens(request: HoldRequest, available: bigint): number {
  const { price, ceiling = price, fixed = 0n, promptTokens, choices, maxTokens } = request;
  if (worstCase(request, maxTokens) <= available) return maxTokens;
  const left = (available - fixed) * 1000n - BigInt(promptTokens) * ceiling.prompt;
  const each = BigInt(choices) * ceiling.completion;
  if (left <= 0n || each === 0n) return 0;
  return Number(left / each);
}

export interface Admission {
  /** Nano-credits. */
  readonly amount: bigint;
  /** Output tokens of one choice. */
  readonly maxTokens: number;
}

/** What is held for a request out of `available` nano-credits; undefined where they cannot pay for it (402). */
export function admit(request: HoldRequest, available: bigint): Admission | undefined {
  const maxTokens = request.maxTokensMayShrink ? affordableTokens(request, available) : request.maxTokens;
  if (request.maxTokensMayShrink && maxTokens < (request.leastTokens ?? 1)) return undefined;
  const amount = worstCase(request, maxTokens);
  return amount <= available ? { amount, maxTokens } : undefined;
}
