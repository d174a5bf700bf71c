/**
 * What went wrong at a provider, as a closed union. The kind alone decides whether another candidate is tried and what
 * the client sees, by one table (inference/attempts/provider-error.mapping.ts).
 *
 * - `invalid_request`          400, 422: the request itself; the vendor's text is kept
 * - `context_length_exceeded`  400 with its code: prompt and output do not fit
 * - `offer_limit`              400, 422: a value beyond a limit of this vendor alone: the length of an id, the number of tools;
 *                              also 500 where it is the order of messages that the template of its model refuses
 * - `content_filtered`         refused before any output; 403 where it is the content that was refused
 * - `request_too_large`        413, or 429 for one request that is larger than all that the limit allows
 * - `parameter_ignored`        a complete answer without what a parameter asks for, which `parameter` names
 * - `rate_limited`             429, with `retryAfterMs` where the provider says it
 * - `overloaded`               500, 503, 529 and their like
 * - `model_unavailable`        404: the provider does not (now) have the model
 * - `authentication`           401, 403 on our own account; the vendor's text is hidden
 * - `insufficient_quota`       402, or 429 for quota, on our own account; the vendor's text is hidden
 * - `timeout`                  silence for longer than the gateway waits: no first chunk, or none in mid-stream
 * - `total_timeout`            an answer that goes on for longer than the gateway allows
 * - `limit_exceeded`           an answer beyond a limit of the gateway: its size, its depth, its number of tool calls
 * - `unreachable`              DNS, connect, reset before a response
 * - `bad_response`             malformed, truncated, no finish_reason
 */
export const providerErrorKinds = [
  'invalid_request',
  'context_length_exceeded',
  'offer_limit',
  'content_filtered',
  'request_too_large',
  'parameter_ignored',
  'rate_limited',
  'overloaded',
  'model_unavailable',
  'authentication',
  'insufficient_quota',
  'timeout',
  'total_timeout',
  'limit_exceeded',
  'unreachable',
  'bad_response',
] as const;

export type ProviderErrorKind = (typeof providerErrorKinds)[number];

export interface ProviderErrorFacts {
  /** The provider's HTTP status, if it answered at all. */
  status?: number;
  /** Milliseconds to wait before the next attempt, from `retry-after` or its vendor spelling. */
  retryAfterMs?: number;
  /** The parameter that was ignored. */
  parameter?: string;
  /** What the provider said where `message` does not tell it: its redacted words and codes, for the log alone. */
  detail?: string;
  /** Whether `message` is the vendor's, which may quote the request: `observability.store_text` alone keeps it. */
  quotes?: boolean;
  cause?: unknown;
}

/**
 * The only exception that a provider throws. `message` is for the client where the kind keeps the vendor's text,
 * otherwise for the log.
 */
export class ProviderError extends Error {
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly parameter?: string;
  readonly detail?: string;
  readonly quotes?: boolean;

  constructor(
    readonly kind: ProviderErrorKind,
    message: string,
    facts: ProviderErrorFacts = {},
  ) {
    super(message, { cause: facts.cause });
    this.name = 'ProviderError';
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
    this.parameter = facts.parameter;
    if (facts.detail !== undefined) this.detail = facts.detail;
    if (facts.quotes) this.quotes = true;
  }
}

/**
 * The error of a complete answer that lacks what a parameter asks for.
 * @param lacking what the answer lacks
 */
export function parameterIgnored(parameter: 'n' | 'logprobs', lacking: string): ProviderError {
  return new ProviderError('parameter_ignored', `The provider of the model ignores the parameter '${parameter}': ${lacking}`, {
    parameter,
  });
}

/**
 * Checks the shape and not the class: a module from another package may bring its own copy of this file. One whose
 * texts are none is any other mistake of a module.
 */
export function isProviderError(error: unknown): error is ProviderError {
  if (!(error instanceof Error) || error.name !== 'ProviderError') return false;
  const { kind, message, detail } = error as Partial<ProviderError>;
  return (
    providerErrorKinds.includes(kind as ProviderErrorKind) &&
    typeof message === 'string' &&
    (detail === undefined || typeof detail === 'string')
  );
}
