/**
 * What went wrong at a provider, as a closed union. The kind alone decides whether another candidate is tried and what
 * the client sees, by one table (inference/attempts/provider-error.mapping.ts).
 *
 * - `invalid_request`          400, 422: the request itself; the vendor's text is kept
 * - `context_length_exceeded`  400 with its code: prompt and output do not fit
 * - `content_filtered`         refused before any output
 * - `rate_limited`             429, with `retryAfterMs` where the provider says it
 * - `overloaded`               500, 503, 529 and their like
 * - `model_unavailable`        404: the provider does not (now) have the model
 * - `authentication`           401, 403 on our own account; the vendor's text is hidden
 * - `insufficient_quota`       402, or 429 for quota, on our own account; the vendor's text is hidden
 * - `timeout`                  one of our timers
 * - `unreachable`              DNS, connect, reset before a response
 * - `bad_response`             malformed, truncated, no finish_reason
 */
export const providerErrorKinds = [
  'invalid_request',
  'context_length_exceeded',
  'content_filtered',
  'rate_limited',
  'overloaded',
  'model_unavailable',
  'authentication',
  'insufficient_quota',
  'timeout',
  'unreachable',
  'bad_response',
] as const;

export type ProviderErrorKind = (typeof providerErrorKinds)[number];

export interface ProviderErrorFacts {
  /** The provider's HTTP status, if it answered at all. */
  status?: number;
  /** Milliseconds to wait before the next attempt, from `retry-after` or its vendor spelling. */
  retryAfterMs?: number;
  cause?: unknown;
}

/**
 * The only exception that a provider throws. `message` is for the client where the kind keeps the vendor's text,
 * otherwise for the log.
 */
export class ProviderError extends Error {
  readonly status?: number;
  readonly retryAfterMs?: number;

  constructor(
    readonly kind: ProviderErrorKind,
    message: string,
    facts: ProviderErrorFacts = {},
  ) {
    super(message, { cause: facts.cause });
    this.name = 'ProviderError';
    this.status = facts.status;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Checks the shape and not the class: a module from another package may bring its own copy of this file. */
export function isProviderError(error: unknown): error is ProviderError {
  return (
    error instanceof Error &&
    error.name === 'ProviderError' &&
    providerErrorKinds.includes((error as Partial<ProviderError>).kind as ProviderErrorKind)
  );
}
