import type { ProviderError, ProviderErrorKind } from '../contract/provider-error.js';
import { parsedJson } from '../translation/parsed-json.js';
import { inBandError, namedError, type UpstreamFailure, upstreamError } from '../protocols/upstream-error.js';
import { type VendorError, vendorError } from '../protocols/vendor-error.js';

/** Statuses that are Cohere's own, or that mean something else there (docs.cohere.com/reference/errors). */
const statuses: Readonly<Record<number, ProviderErrorKind>> = {
  498: 'content_filtered',
  499: 'overloaded',
  501: 'invalid_request',
};

/** Messages, or beginnings of them, and words that say more than their status. */
const sentences: readonly (readonly [RegExp, ProviderErrorKind])[] = [
  [/^(invalid request: )?too many tokens/i, 'context_length_exceeded'],
  [/^you are using a trial key, which is limited to [\d,]+ api calls ?\/ ?month/i, 'insufficient_quota'],
  [/^(invalid api token|no api key supplied)/i, 'authentication'],
  // The model wrote calls that are none of the request's tools.
  [/invalid[ _]tool[ _]generation|hallucinated_all_tool_calls/i, 'invalid_request'],
];

/** The error of a response whose status is not 2xx: `{message}`. */
export function chatError(failure: UpstreamFailure): ProviderError {
  const { status = 0, retryAfterMs, body, secrets } = failure;
  const error = vendorError(parsedJson(body));
  const kind = (status < 500 && error && kindOfSentence(error)) || statuses[status];
  return kind ? namedError(kind, error?.message ?? '', { status, retryAfterMs }, secrets, error?.words) : upstreamError(failure);
}

/** The error of an error object in the place of an answer, or of an event. */
export function inBandChatError(error: VendorError, secrets: readonly string[]): ProviderError {
  const kind = kindOfSentence(error);
  return kind ? namedError(kind, error.message, { status: error.status }, secrets, error.words) : inBandError(error, secrets);
}

export function kindOfSentence({ message, words }: VendorError): ProviderErrorKind | undefined {
  return sentences.find(([pattern]) => [message, ...words].some((said) => pattern.test(said)))?.[1];
}
