import { partsOf } from '../../common/prices/counted-parts.js';
import { charge, lesser, type Price } from '../../common/prices/credits.js';
import { sumOf, type Usage, usageOf } from '../../wire/usage.js';
import type { HoldRequest, Outcome, PromptCount } from './ledger.js';
import type { Charge } from './settle-charge.js';

/** A request that has begun, as the journal and the store describe it. */
export interface RequestFacts extends Pick<HoldRequest, 'requestId' | 'principal' | 'operation' | 'model' | 'price'> {
  /** Absent where nothing is held. */
  readonly leaseId: string | undefined;
  /** Ids of the shares of budgets that it was held from, where its process still knows. */
  readonly shares?: readonly string[] | undefined;
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

/** An ending that the journal has. */
export interface WrittenEnding extends Ending {
  /** Its usage row as JSON, where the lease pays for all of it. */
  row?: string;
  /** What the usage row says of the request beside its charge, as JSON of those columns. */
  record?: string | undefined;
  /** It was sent to the store. */
  sent?: boolean;
}

/** What a crashed request had delivered. */
export interface Delivered {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The prompts of its upstream calls, which come to `promptTokens`; absent where the price has two numbers. */
  readonly prompts?: readonly PromptCount[];
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
export function crashedEnding(request: RequestFacts, delivered: Delivered, endedAt: number): Ending {
  const { price, hold, startedAt } = request;
  const calls = callsOf(delivered);
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = sumOf(calls);
  const parts = partsOf(price, calls, { startedAt });
  const amount = completionTokens > 0 ? lesser(charge(price, promptTokens, completionTokens, parts), hold) : 0n;
  return {
    request,
    charge: { promptTokens, completionTokens, price, ...(parts && { parts }), amount, excess: 0n },
    outcome: CRASHED,
    estimated: true,
    provider: undefined,
    endedAt,
  };
}

/** Which call has delivered what is not known: the smallest prompt, at whose tier tokens cost least, counts. */
function callsOf({ promptTokens, completionTokens, prompts = [{ prompt_tokens: promptTokens }] }: Delivered): Usage[] {
  const smallest = prompts.reduce((least, prompt) => (prompt.prompt_tokens < least.prompt_tokens ? prompt : least));
  return prompts.map((prompt) => ({ ...usageOf(prompt.prompt_tokens, prompt === smallest ? completionTokens : 0), ...prompt }));
}
