import type { RecordKeeper } from '../../common/requests/generation-record.js';
import type { Principal } from '../../auth/principal.js';
import type { Price } from '../../common/prices/credits.js';
import type { PriceCeiling } from '../../common/prices/price-ceiling.js';
import type { OperationName } from '../../wire/operations.js';
import type { Usage } from '../../wire/usage.js';

/** The worst case of one request, over all of its upstream calls. */
export interface HoldRequest {
  /** UUIDv7 made by the gateway; primary key of the usage row. */
  readonly requestId: string;
  readonly principal: Principal;
  readonly operation: OperationName;
  readonly model: string;
  /** The price of the dearest candidate. */
  readonly price: Price;
  /** What a token can cost at most, where components make it more than the price; absent: the price. */
  readonly ceiling?: PriceCeiling;
  /** Nano-credits that it costs beside its tokens. */
  readonly fixed?: bigint;
  /** Upper bound of the prompt tokens of all upstream calls together. */
  readonly promptTokens: number;
  /** Choices that will be generated: prompts x max(n, best_of). */
  readonly choices: number;
  /** Output tokens of one choice at most. */
  readonly maxTokens: number;
  /** The client named no max_tokens: it is lowered to what is affordable instead of the request being refused. */
  readonly maxTokensMayShrink: boolean;
  /** The fewest tokens to which they may be lowered; absent: 1. */
  readonly leastTokens?: number;
}

/** How a request ended; what each ending costs is in the table of billing/README.md. */
export type Outcome = (typeof paidOutcomes)[number] | 'provider_failed' | 'idle_timeout' | 'empty' | 'shutdown';

/**
 * The endings that pay for their tokens.
 *
 * - `completed`     the whole answer has come
 * - `client_left`   the client closed its connection, or read nothing any more
 * - `client_slow`   the provider gave the answer up while, or after, the client held it back
 * - `limit_reached` a limit of the gateway ended the answer: its total time, its size, its depth
 * - `request_failed` the provider ended the answer for what the request is: its content, its length, a parameter
 */
const paidOutcomes = ['completed', 'client_left', 'client_slow', 'limit_reached', 'request_failed'] as const;

export interface Settlement {
  readonly outcome: Outcome;
  /**
   * After `completed` the provider's usage, after the other endings that pay prompt and delivered tokens, otherwise
   * what is known.
   */
  readonly usage: Usage;
  /** The usage of each upstream call, which make up `usage`; absent where there was one. */
  readonly calls?: readonly Usage[];
  /** The service tier that was asked for; what an answer that names none is charged at. */
  readonly serviceTier?: string | undefined;
  /** The usage was counted by the gateway: it costs no more than the hold. */
  readonly estimated: boolean;
  /** What the provider had told of an estimated usage: charged in its place where it costs more than the hold. */
  readonly told?: Usage | undefined;
  /** The offer that answered, if any did. */
  readonly provider?: string;
  /** The price of that offer; absent: what servedAt has said, or else the hold's. */
  readonly price?: Price;
}

/** How a vendor, or the gateway, counts one upstream call without its output. */
export type PromptCount = Pick<Usage, 'prompt_tokens' | 'prompt_tokens_details' | 'server_tool_use' | 'service_tier'>;

export interface Hold extends RecordKeeper {
  /** Nano-credits. */
  readonly amount: bigint;
  /** Output tokens that one choice may have; fewer than asked for only where maxTokensMayShrink is set. */
  readonly maxTokens: number;
  /**
   * Notes the completion tokens that were handed to the client's socket so far, and the prompt's tokens once they are
   * known. They are what recovery after a crash charges, which takes nothing for a prompt of unknown size.
   */
  progress(completionTokens: number, promptTokens?: number): void;
  /** Notes the parts of the prompt, where they have prices of their own: after a crash they are charged at them. */
  promptCounted(prompts: readonly PromptCount[]): void;
  /** Notes the price of the offer that answers: after a crash, what was delivered is charged at it. */
  servedAt(price: Price): void;
  /**
   * Charges the request and gives back the rest of the hold. The first call counts.
   * @returns nano-credits that are due. Where a provider has counted more than was held, and the account cannot pay all
   * of it, less is charged: the usage row tells.
   */
  settle(settlement: Settlement): bigint;
}

/** Money as inference sees it. */
export abstract class Ledger {
  /** A sentence that says why no request can be held now; undefined while some can. */
  abstract readonly unable: string | undefined;

  /**
   * Holds the worst case of a request, before anything is asked of a provider.
   * @throws ApiError 402 insufficient_credits or budget_exceeded, or 503 service_unavailable when the store cannot be
   * reached.
   */
  abstract hold(request: HoldRequest): Hold | Promise<Hold>;
}

const paying: ReadonlySet<Outcome> = new Set(paidOutcomes);

/** Whether a request that ended like this pays for its tokens. */
export function chargeable(outcome: Outcome): boolean {
  return paying.has(outcome);
}
