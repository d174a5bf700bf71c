/** The body of every error response: three strings, nothing else (specification, Errors). */
export interface ErrorBody {
  error: { message: string; type: ErrorType; code: ErrorCode };
}

export type ErrorType =
  'invalid_request_error' | 'authentication_error' | 'payment_required' | 'permission_error' | 'rate_limit_error' | 'api_error';

/** HTTP status and type of every code. The first five are the specification's, the others fill what it leaves open. */
export const errorCodes = {
  missing_api_key: { status: 401, type: 'authentication_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  insufficient_credits: { status: 402, type: 'payment_required' },
  model_not_found: { status: 404, type: 'invalid_request_error' },
  invalid_prompt: { status: 400, type: 'invalid_request_error' },

  invalid_request: { status: 400, type: 'invalid_request_error' },
  unsupported_model: { status: 400, type: 'invalid_request_error' },
  unsupported_parameter: { status: 400, type: 'invalid_request_error' },
  thread_unsupported_request: { status: 400, type: 'invalid_request_error' },
  context_length_exceeded: { status: 400, type: 'invalid_request_error' },
  content_policy_violation: { status: 400, type: 'invalid_request_error' },
  expired_api_key: { status: 401, type: 'authentication_error' },
  invalid_credentials: { status: 401, type: 'authentication_error' },
  invalid_session: { status: 401, type: 'authentication_error' },
  budget_exceeded: { status: 402, type: 'payment_required' },
  permission_denied: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: 'invalid_request_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  request_timeout: { status: 408, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  idempotency_conflict: { status: 409, type: 'invalid_request_error' },
  precondition_failed: { status: 412, type: 'invalid_request_error' },
  request_too_large: { status: 413, type: 'invalid_request_error' },
  uri_too_long: { status: 414, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  expectation_failed: { status: 417, type: 'invalid_request_error' },
  request_header_too_large: { status: 431, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  upstream_error: { status: 502, type: 'api_error' },
  service_unavailable: { status: 503, type: 'api_error' },
  model_overloaded: { status: 503, type: 'api_error' },
  upstream_timeout: { status: 504, type: 'api_error' },
} as const satisfies Record<string, { status: number; type: ErrorType }>;

export type ErrorCode = keyof typeof errorCodes;

export function errorBody(code: ErrorCode, message: string): ErrorBody {
  return { error: { message, type: errorCodes[code].type, code } };
}
