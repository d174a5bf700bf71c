import { isObject } from '../../wire/json-object.js';
import { isText } from '../protocols/is-text.js';
import { parsedJson } from '../translation/parsed-json.js';
import { inBandError, namedError, type UpstreamFailure, upstreamError } from '../protocols/upstream-error.js';
import type { ProviderError, ProviderErrorKind } from '../contract/provider-error.js';
import { ownOf } from '../../wire/own-members.js';

/** What the vendor's exceptions mean, by their names in lower case. Many come with status 400, or in a stream. */
const kinds: Readonly<Record<string, ProviderErrorKind>> = {
  accessdeniedexception: 'authentication',
  conflictexception: 'overloaded',
  expiredtokenexception: 'authentication',
  incompletesignatureexception: 'authentication',
  internalserverexception: 'overloaded',
  invalidsignatureexception: 'authentication',
  missingauthenticationtokenexception: 'authentication',
  modelerrorexception: 'overloaded',
  modelnotreadyexception: 'overloaded',
  modelstreamerrorexception: 'overloaded',
  modeltimeoutexception: 'timeout',
  resourcenotfoundexception: 'model_unavailable',
  servicequotaexceededexception: 'insufficient_quota',
  serviceunavailableexception: 'overloaded',
  throttlingexception: 'rate_limited',
  unrecognizedclientexception: 'authentication',
};

/**
 * Messages of a ValidationException that say more than its name; only their beginning is looked at, which quotes
 * nobody.
 */
const sentences: readonly (readonly [RegExp, ProviderErrorKind])[] = [
  [/^(the model returned the following errors: )?(input is too long|prompt is too long|too many input tokens)/i, 'context_length_exceeded'],
  [/^(the model returned the following errors: )?input length and `max_tokens` exceed context limit/i, 'context_length_exceeded'],
  [/^the provided model identifier is invalid|^invocation of model id \S{1,200} with on-demand throughput isn/i, 'model_unavailable'],
  [/^this model version has reached the end of its life/i, 'model_unavailable'],
  [/^(the model returned the following errors: )?output blocked by content filtering/i, 'content_filtered'],
];

/** The error of a response whose status is not 2xx. The exception's name stands in a header. */
export function converseError({ status, retryAfterMs, headers, body, secrets }: UpstreamFailure): ProviderError {
  const told = headers?.['x-amzn-errortype'];
  const name = isText(told) ? told.split(':', 1)[0]! : '';
  const message = messageOf(body);
  const kind = kindOf(name, message);
  if (kind) return namedError(kind, message, { status, retryAfterMs }, secrets, [name.slice(0, 100)]);
  return upstreamError({ status, retryAfterMs, body: message && JSON.stringify({ message }), secrets });
}

/**
 * The error of an exception inside a stream, which has no status.
 * @param payload its JSON, or a mere message
 */
export function streamedError(name: string, payload: string, secrets: readonly string[]): ProviderError {
  const message = messageOf(payload);
  const kind = kindOf(name, message);
  if (kind) return namedError(kind, message, {}, secrets, [name.slice(0, 100)]);
  return inBandError({ message, words: [], ...(isValidation(name) && { status: 400 }) }, secrets);
}

function kindOf(name: string, message: string): ProviderErrorKind | undefined {
  const word = name.toLowerCase();
  if (isValidation(name)) return sentences.find(([pattern]) => pattern.test(message))?.[1];
  return ownOf(kinds, word);
}

function isValidation(name: string): boolean {
  return name.toLowerCase() === 'validationexception';
}

/** A page of something on the way says nothing. */
function messageOf(payload: string): string {
  const body = parsedJson(payload);
  if (!isObject(body)) return payload.startsWith('<') ? '' : payload;
  return [body['message'], body['Message']].find(isText) ?? '';
}
