import { HttpException } from '@nestjs/common';
import { ApiError, type ErrorAdvice } from '../../common/api-error.js';
import { type ErrorBody, errorBody, type ErrorCode, errorCodes } from '../../wire/error.js';
import { ownOf } from '../../wire/own-members.js';

export interface ErrorEnvelope {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
}

const none = Object.freeze({});

/** Code and message for each error of Fastify's own, whose messages would show internals. */
const fastifyErrors: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not valid percent-encoding.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is too long.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['request_too_large', 'The request body is too large.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The request body does not have the length that content-length says.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the request body as JSON with the header content-type: application/json.',
  ],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ['unsupported_media_type', 'Send the request body with the header content-type: application/json.'],
};

/** Codes for errors that have a status and no code. */
const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'invalid_api_key',
  402: 'insufficient_credits',
  403: 'permission_denied',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'idempotency_conflict',
  412: 'precondition_failed',
  413: 'request_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  429: 'rate_limit_exceeded',
  431: 'request_header_too_large',
  502: 'upstream_error',
  503: 'service_unavailable',
  504: 'upstream_timeout',
};

const internal = envelope('internal_error', 'Internal server error');

/**
 * Turns any thrown value into status, body and headers: every error response is made here. The client sees the messages
 * of an ApiError and of a refused request; about anything else it learns only that the request failed.
 */
export function toErrorEnvelope(error: unknown): ErrorEnvelope {
  if (error instanceof ApiError)
    return { status: error.status, body: errorBody(error.code, error.message), headers: adviceHeaders(error.advice) };
  if (error instanceof HttpException) return ofFastify(error.cause) ?? ofStatus(error.getStatus(), error.message);
  return ofFastify(error) ?? internal;
}

function adviceHeaders({ retryAfter, retry, allow }: ErrorAdvice): Record<string, string> {
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  if (retry !== undefined) headers['x-should-retry'] = String(retry);
  if (allow) headers['allow'] = allow.join(', ');
  return headers;
}

function ofFastify(error: unknown): ErrorEnvelope | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  const known = ownOf(fastifyErrors, error.code);
  return known && envelope(...known);
}

function ofStatus(status: number, message: string): ErrorEnvelope {
  if (!Number.isInteger(status) || status < 400 || status >= 500) {
    const code = codesByStatus[status];
    return code ? envelope(code, 'The service cannot answer this request now.') : internal;
  }
  return envelope(codesByStatus[status] ?? 'invalid_request', message);
}

function envelope(code: ErrorCode, message: string): ErrorEnvelope {
  return { status: errorCodes[code].status, body: errorBody(code, message), headers: none };
}
