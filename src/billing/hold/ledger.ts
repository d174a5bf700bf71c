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
  /** The dearest candidate's. */
  readonly price: Price;
  /** Upper bound of prompt tokens, all upstream calls together. */
  readonly promptTokens: number;
  /** Choices that will be generated: prompts x max(n, best_of). */
  readonly choices: number;
  /** Output tokens of one choice at most. */
  readonly maxTokens: number;
  /** The client named no max_tokens: lower it to what is affordable instead of refusing. */
  readonly maxTokensMayShrink: boolean;
}

/** How a request ended, and what it costs (DESIGN, Money). */
export type Outcome = 'completed' | 'client_left' | 'provider_failed' | 'idle_timeout' | 'empty' | 'shutdown';

export interface Settlement {
  readonly outcome: Outcome;
  /** completed: the provider's usage. client_left: prompt and delivered tokens. Otherwise what is known. */
  readonly usage: Usage;
  /** True where the usage was counted by us. */
  readonly estimated: boolean;
  /** The offer that answered, if any did. */
  readonly provider?: string;
  /** Its price; absent: what servedAt said, or else the hold's. */
  readonly price?: Price;
}

export interface Hold {
  /** Nano-credits held. */
  readonly amount: bigint;
  /** Output tokens granted to one choice; less than asked only where it may shrink. */
  readonly maxTokens: number;
  /**
   * Completion tokens handed to the client's socket so far, and the prompt's once they are known; for recovery after a crash, which charges nothing
   * for a prompt of unknown size.
   */
  progress(completionTokens: number, promptTokens?: number): void;
  /** The price of the offer that answers, once it is known; what a crash has delivered is charged at it. */
  servedAt(price: Price): void;
  /** Holds `amount` nano-credits more; false when they are not there. */
  extend(amount: bigint): boolean;
  /** Charges, gives back the rest, returns the charge in nano-credits. Safe to call twice: the first call counts. */
  settle(settlement: Settlement): bigint;
}

/** The money that inference sees; the same for every implementation. */
export abstract class Ledger {
  /**
   * Puts the worst case aside before anything is asked of a provider.
   * @throws ApiError 402 insufficient_credits, or 503 service_unavailable when the store cannot be reached.
   */
  abstract hold(request: HoldRequest): Hold | Promise<Hold>;
}

/** What each ending costs. */
export function chargeable(outcome: Outcome): boolean {
  return outcome === 'completed' || outcome === 'client_left';
}
