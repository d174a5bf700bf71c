import { errorCodes, type ErrorCode } from '../wire/error.js';
import type { MessagesErrorBody, MessagesErrorType } from '../wire/anthropic-message.js';

/** The types of Anthropic's errors by their HTTP status (docs.anthropic.com, Errors). */
const types: Readonly<Record<number, MessagesErrorType>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** An error in Anthropic's shape. */
export function messagesError(code: ErrorCode, message: string, requestId: string): MessagesErrorBody {
  const { status } = errorCodes[code];
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message, details: { error_code: code } }, request_id: requestId };
}
