import type { Price } from '../../common/credits.js';
import type { HoldRequest, Outcome } from './ledger.js';
import type { Charge } from './settle-charge.js';

/** A request that has begun, as journal and store know it. */
export interface RequestFacts extends Pick<HoldRequest, 'requestId' | 'principal' | 'operation' | 'model' | 'price'> {
  /** Absent where nothing is held. */
  readonly leaseId: string | undefined;
  /** Nano-credits. */
  readonly hold: bigint;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** The outcome of a request whose process ended before it could settle. */
export const CRASHED = 'crashed';

/** How a request ended, ready to be written. */
export interface Ending {
  readonly request: RequestFacts;
  readonly charge: Charge;
  readonly outcome: Outcome | typeof CRASHED;
  readonly estimated: boolean;
  readonly provider: string | undefined;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
}

/** What a crashed request had delivered. */
export interface Delivered {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** How far an open request has come. */
export interface Progress extends Delivered {
  readonly requestId: string;
  readonly price: Price;
}

/** Crashed: what was delivered is charged, at the price of the hold and never beyond it. */
export function crashedEnding(request: RequestFacts, { promptTokens, completionTokens }: Delivered, endedAt: number): Ending {
  return {
    request,
    charge: {
      promptTokens,
      completionTokens,
      price: request.price,
      amount: crashCharge(request.price, promptTokens, completionTokens, request.hold),
    },
    outcome: CRASHED,
    estimated: true,
    provider: undefined,
    endedAt,
  };
}

/** Nothing unless a token was delivered. */
export function crashCharge(price: Price, promptTokens: number, completionTokens: number, hold: bigint): bigint {
  if (completionTokens <= 0) return 0n;
  const full = (BigInt(promptTokens) * price.prompt + BigInt(completionTokens) * price.completion + 999n) / 1000n;
  return full < hold ? full : hold;
}
