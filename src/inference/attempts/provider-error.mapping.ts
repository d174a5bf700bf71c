import type { Outcome } from '../../billing/hold/ledger.js';
import { ApiError } from '../../common/api-error.js';
import type { Offer } from '../../catalogue/offer.js';
import { UNLISTED } from '../../catalogue/passthrough-offer.js';
import { isProviderError, type ProviderError, type ProviderErrorKind } from '../../providers/contract/provider-error.js';
import type { ErrorCode } from '../../wire/error.js';

interface KindRule {
  readonly code: ErrorCode;
  /** Where it is absent, the client gets the vendor's own text, which is about the client's request. */
  readonly message?: string;
  /** Whether another candidate may answer. */
  readonly next: boolean;
  /** The request is at fault: it says nothing about the offer. */
  readonly caller?: true;
  /**
   * An operator must do something: about the gateway's account at the vendor, or about what the model is said to take.
   */
  readonly alarm?: true;
  /** How a request ends that it ends; absent: `provider_failed`. */
  readonly outcome?: Outcome;
}

/** What each kind of error means for the client and for the other candidates. Nothing else decides this. */
export const kindRules: Readonly<Record<ProviderErrorKind, KindRule>> = {
  invalid_request: { code: 'invalid_request', next: false, caller: true },
  context_length_exceeded: { code: 'context_length_exceeded', next: false, caller: true },
  offer_limit: { code: 'invalid_request', next: true, caller: true },
  content_filtered: { code: 'content_policy_violation', next: false, caller: true },
  request_too_large: {
    code: 'request_too_large',
    message: 'The request is larger than the provider of the model allows.',
    next: true,
    caller: true,
  },
  parameter_ignored: { code: 'unsupported_parameter', next: false, caller: true, alarm: true },
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
  timeout: { code: 'upstream_timeout', message: 'The model did not answer in time.', next: true, outcome: 'idle_timeout' },
  total_timeout: {
    code: 'upstream_timeout',
    message: 'The answer took longer than this service allows.',
    next: false,
    outcome: 'limit_reached',
  },
  limit_exceeded: { code: 'upstream_error', next: false, outcome: 'limit_reached' },
  unreachable: { code: 'upstream_error', message: 'The provider of the model could not be reached.', next: true },
  bad_response: { code: 'upstream_error', message: 'The provider of the model sent an invalid or incomplete answer.', next: true },
};

/** Whether the request is at fault, and not the offer: it is wrong, or the client made up the name of the model. */
export function isCallers({ kind }: ProviderError, { watchedAs }: Pick<Offer, 'watchedAs'>): boolean {
  return kindRules[kind].caller === true || (kind === 'model_unavailable' && watchedAs === UNLISTED);
}

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
