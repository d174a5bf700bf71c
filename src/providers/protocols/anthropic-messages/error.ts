import type { ProviderError, ProviderErrorKind } from '../../contract/provider-error.js';
import { parsedJson } from '../../translation/parsed-json.js';
import { inBandError, namedError, type UpstreamFailure, upstreamError } from '../upstream-error.js';
import { type VendorError, vendorError } from '../vendor-error.js';
import { ownOf } from '../../../wire/own-members.js';

/** The HTTP status that each of the vendor's error types comes with. In a stream the type is all there is. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/**
 * Messages that come with status 400, which elsewhere means a mistake of the client. Only their beginning is matched:
 * further on they may quote the client.
 */
const sentences: readonly (readonly [RegExp, ProviderErrorKind])[] = [
  [/^your credit balance is too low|^you have reached your specified/i, 'insufficient_quota'],
  [/^this organization has been disabled/i, 'authentication'],
  [/^output blocked by content filtering/i, 'content_filtered'],
  [/^prompt is too long|^input length and `max_tokens` exceed context limit/i, 'context_length_exceeded'],
];

/** The error of a response whose status is not 2xx. */
export function messagesError(failure: UpstreamFailure): ProviderError {
  const { status, retryAfterMs, body, secrets } = failure;
  const error = vendorError(parsedJson(body));
  const kind = error && kindOfSentence(error);
  return kind ? namedError(kind, error.message, { status, retryAfterMs }, secrets, error.words) : upstreamError(failure);
}

/** The error of an error event, or of an error object in the place of a response. */
export function inBandMessagesError(payload: string, secrets: readonly string[]): ProviderError {
  const error = vendorError(parsedJson(payload)) ?? { message: payload, words: [] };
  const status = error.words.map((word) => ownOf(statuses, word)).find(Boolean);
  const kind = kindOfSentence(error);
  return kind ? namedError(kind, error.message, { status }, secrets, error.words) : inBandError({ ...error, status }, secrets);
}

function kindOfSentence({ message }: VendorError): ProviderErrorKind | undefined {
  return sentences.find(([pattern]) => pattern.test(message))?.[1];
}
