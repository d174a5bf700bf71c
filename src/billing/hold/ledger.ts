import type { Principal } from '../../auth/principal.js';
import type { Price } from '../../common/credits.js';
import type { Usage } from '../../wire/usage.js';

/** The worst case of one request, over all of its upstream calls. */
export interface HoldRequest {
  /** UUIDv7 made by the gateway; primary key of the usage row. */
  readonly requestId: string;
  readonly principal: Principal;
  readonly operation: 'chat' | 'completion';
  readonly model: string;
  /** The price of the dearest candidate. */
  readonly price: Price;
  /** Upper bound of the prompt tokens of all upstream calls together. */
  readonly promptTokens: number;
  /** Choices that will be generated: prompts x max(n, best_of). */
  readonly choices: number;
  /** Output tokens of one choice at most. */
  readonly maxTokens: number;
  /** The client named no max_tokens: it is lowered to what is affordable instead of the request being refused. */
  readonly maxTokensMayShrink: boolean;
}

/** How a request ended; what each ending costs is in the table of billing/README.md. */
export type Outcome = 'completed' | 'client_left' | 'provider_failed' | 'idle_timeout' | 'empty' | 'shutdown';

export interface Settlement {
  readonly outcome: Outcome;
  /**
   * After `completed` the provider's usage, after `client_left` prompt and delivered tokens, otherwise what is known.
   */
  readonly usage: Usage;
  /** The usage was counted by the gateway. */
  readonly estimated: boolean;
  /** The offer that answered, if any did. */
  readonly provider?: string;
  /** The price of that offer; absent: what servedAt has said, or else the hold's. */
  readonly price?: Price;
}

export interface Hold {
  /** Nano-credits. */
  readonly amount: bigint;
  /** Output tokens that one choice may have; fewer than asked for only where maxTokensMayShrink is set. */
  readonly maxTokens: number;
  /**
   * Notes the completion tokens that were handed to the client's socket so far, and the prompt's tokens once they are
   * known. They are what recovery after a crash charges, which takes nothing for a prompt of unknown size.
   */
  progress(completionTokens: number, promptTokens?: number): void;
  /** Notes the price of the offer that answers: after a crash, what was delivered is charged at it. */
  servedAt(price: Price): void;
  /**
   * Holds `amount` nano-credits more.
   * @returns false where they are not there
   */
  extend(amount: bigint): boolean;
  /**
   * Charges the request and gives back the rest of the hold. The first call counts.
   * @returns the charge in nano-credits
   */
  settle(settlement: Settlement): bigint;
}

/** Money as inference sees it. */
export abstract class Ledger {
  /**
   * Holds the worst case of a request, before anything is asked of a provider.
   * @throws ApiError 402 insufficient_credits, or 503 service_unavailable when the store cannot be reached.
   */
  abstract hold(request: HoldRequest): Hold | Promise<Hold>;
}

/** Whether a request that ended like this pays for its tokens. */
export function chargeable(outcome: Outcome): boolean {
  return outcome === 'completed' || outcome === 'client_left';
}
