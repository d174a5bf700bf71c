import type { AttemptRecord } from '../common/requests/generation-record.js';
import { formatCredits, formatDecimal } from '../common/prices/credits.js';
import { type ChargeLineView, chargeView } from '../common/prices/charge-view.js';
import type { Integer } from '../wire/integer.js';
import type { RequestHistory } from './request-history.js';

/**
 * What is known of one request, as JSON. Amounts are credits, prices credits per 1,000 tokens, durations milliseconds.
 * Where the gateway has not written more than the charge, what is not known is null or an empty list: it was killed, in
 * the middle of the request (then `outcome` is `crashed`) or soon after it, or the client is still taking the answer.
 */
export class RequestView {
  request_id: string;
  /** What the client called it. */
  client_request_id: string | null;
  created_at: string;
  /** Null where the gateway has not written it. */
  duration_ms: Integer | null;
  key_id: string | null;
  account_id: string | null;
  environment: string | null;
  operation: string;
  model: string | null;
  /** The provider that answered; null where nothing was charged, and where the gateway was killed before it knew. */
  provider: string | null;
  /** Null where the gateway has not written it. */
  streamed: boolean | null;
  /** Of the answer; null where the gateway has not written it. */
  status: Integer | null;
  outcome: string;
  error_code: string | null;
  /** As the client has read it, at most 512 characters; but without a provider's own words, where texts are not kept. */
  error_message: string | null;
  prompt_tokens: Integer | null;
  completion_tokens: Integer | null;
  /** Whether the gateway has counted them, because the provider did not. */
  estimated: boolean;
  /** Whether the counts of the provider contradict each other, and were read as its documents say. */
  contradictory: boolean;
  price_prompt: string | null;
  price_completion: string | null;
  /** Null where nothing has been settled yet, or will be. */
  charged: string | null;
  /** Part of it that was collected beyond what was held. */
  collected: string;
  /** What was owed beside it, and could not be collected. */
  uncollected: string;
  dropped_parameters: readonly string[];
  /** Present where two prices alone do not explain the charge. */
  charge?: ChargeLineView[];
  saved_by_cache?: string;
  spent_on_cache_writes?: string;
}

/** One call of a provider. Times are milliseconds from the first call. */
export class AttemptView {
  /** `provider/model` */
  offer: string;
  outcome: string;
  started_ms: number;
  queue_ms: number | null;
  first_token_ms: number | null;
  total_ms: number | null;
  /** The provider's HTTP status, where it refused. */
  status: Integer | null;
}

export function requestView(one: RequestHistory): RequestView {
  return {
    request_id: one.request_id,
    client_request_id: one.client_request_id,
    created_at: new Date(Number(one.created_at)).toISOString(),
    duration_ms: numberOf(one.duration_ms),
    key_id: one.key_id,
    account_id: one.account_id,
    environment: one.environment,
    operation: one.operation,
    model: one.model,
    provider: one.provider ?? null,
    streamed: one.streamed === null ? null : one.streamed === 1n,
    status: numberOf(one.status),
    outcome: one.outcome,
    error_code: one.error_code,
    error_message: one.error_message,
    prompt_tokens: numberOf(one.prompt_tokens),
    completion_tokens: numberOf(one.completion_tokens),
    estimated: one.estimated,
    contradictory: one.attempts.some(({ contradictory }) => contradictory),
    price_prompt: creditsOf(one.price_prompt),
    price_completion: creditsOf(one.price_completion),
    charged: creditsOf(one.charged ?? null),
    collected: formatCredits(one.collected),
    uncollected: formatCredits(one.uncollected),
    dropped_parameters: one.dropped_parameters,
    ...(one.lines && {
      charge: chargeView(one.lines, one.adjustments),
      saved_by_cache: formatDecimal(one.saved, 12),
      spent_on_cache_writes: formatDecimal(one.cacheWrites, 12),
    }),
  };
}

export function attemptView(attempt: AttemptRecord): AttemptView {
  const { offer, outcome, startedMs, queueMs, firstTokenMs, totalMs, status } = attempt;
  return {
    offer,
    outcome,
    started_ms: startedMs,
    queue_ms: queueMs ?? null,
    first_token_ms: firstTokenMs ?? null,
    total_ms: totalMs ?? null,
    status: status ?? null,
  };
}

function numberOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

function creditsOf(nano: bigint | null): string | null {
  return nano === null ? null : formatCredits(nano);
}
