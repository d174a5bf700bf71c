import { ApiError } from '../../common/api-error.js';
import { isProviderError, type ProviderErrorKind } from '../../providers/provider-error.js';
import type { ErrorCode } from '../../wire/error.js';

interface KindRule {
  readonly code: ErrorCode;
  /** Where it is absent, the client gets the vendor's own text, which is about the client's request. */
  readonly message?: string;
  /** Whether another candidate may answer. */
  readonly next: boolean;
  /** The gateway's account at the vendor has a problem that an operator must solve. */
  readonly alarm?: true;
}

/** What each kind of error means for the client and for the other candidates. Nothing else decides this. */
export const kindRules: Readonly<Record<ProviderErrorKind, KindRule>> = {
  invalid_request: { code: 'invalid_request', next: false },
  context_length_exceeded: { code: 'context_length_exceeded', next: false },
  content_filtered: { code: 'content_filtered', next: false },
  rate_limited: { code: 'rate_limit_exceeded', message: 'The model is receiving too many requests. Please retry later.', next: true },
  overloaded: { code: 'model_overloaded', message: 'The model is overloaded. Please retry later.', next: true },
  model_unavailable: {
    code: 'service_unavailable',
    message: 'The model is not available at its provider. Please retry later.',
    next: true,
  },
  authentication: {
    code: 'service_unavailable',
    message: 'The model is temporarily unavailable. Please retry later.',
    next: true,
    alarm: true,
  },
  insufficient_quota: {
    code: 'service_unavailable',
    message: 'The model is temporarily unavailable. Please retry later.',
    next: true,
    alarm: true,
  },
  timeout: { code: 'upstream_timeout', message: 'The model did not answer in time.', next: true },
  unreachable: { code: 'upstream_error', message: 'The provider of the model could not be reached.', next: true },
  bad_response: { code: 'upstream_error', message: 'The provider of the model sent an invalid or incomplete answer.', next: true },
};

/**
 * Converts a ProviderError into the client's error. An error that is no ApiError either is a bug and passed on
 * unchanged.
 */
export function toApiError(error: unknown): unknown {
  if (!isProviderError(error)) return error;
  const rule = kindRules[error.kind];
  const advice = error.retryAfterMs === undefined ? {} : { retryAfter: Math.max(1, Math.ceil(error.retryAfterMs / 1000)) };
  return new ApiError(rule.code, rule.message ?? error.message, advice, { cause: error });
}
