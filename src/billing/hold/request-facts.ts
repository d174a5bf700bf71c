import { charge, lesser, type Price } from '../../common/credits.js';
import type { HoldRequest, Outcome } from './ledger.js';
import type { Charge } from './settle-charge.js';

/** A request that has begun, as the journal and the store describe it. */
export interface RequestFacts extends Pick<HoldRequest, 'requestId' | 'principal' | 'operation' | 'model' | 'price'> {
  /** Absent where nothing is held. */
  readonly leaseId: string | undefined;
  /** Nano-credits. */
  readonly hold: bigint;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** The outcome of a request whose process died before it could settle it. */
export const CRASHED = 'crashed';

/** How a request ended, as it is written down. */
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

/**
 * A request that crashed is charged for what it had delivered, never more than its hold, and nothing where not one
 * token was delivered.
 */
export function crashedEnding(request: RequestFacts, { promptTokens, completionTokens }: Delivered, endedAt: number): Ending {
  const { price, hold } = request;
  const amount = completionTokens > 0 ? lesser(charge(price, promptTokens, completionTokens), hold) : 0n;
  return {
    request,
    charge: { promptTokens, completionTokens, price, amount },
    outcome: CRASHED,
    estimated: true,
    provider: undefined,
    endedAt,
  };
}
