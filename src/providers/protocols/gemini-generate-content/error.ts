import { isObject, type JsonObject } from '../../../wire/json-object.js';
import type { ProviderError, ProviderErrorKind } from '../../contract/provider-error.js';
import { MAX_RETRY_AFTER } from '../../transport/retry-after.js';
import { isText } from '../is-text.js';
import { parsedJson } from '../../translation/parsed-json.js';
import { kindOfLimit, kindOfStatus, namedError, type UpstreamFailure } from '../upstream-error.js';
import { ownOf } from '../../../wire/own-members.js';

/**
 * The error of a response whose status is not 2xx, in Google's form (google.rpc.Status): `{error: {code, message,
 * status, details}}`, inside an array of one where a stream was asked for.
 */
export function generateContentError({ status, retryAfterMs, body, secrets }: UpstreamFailure): ProviderError {
  const parsed = parsedJson(body);
  const whole = Array.isArray(parsed) ? (parsed[0] as unknown) : parsed;
  return named(isObject(whole) ? whole['error'] : undefined, secrets, status, retryAfterMs);
}

/** The error of an error object inside a response of status 200. */
export function inBandGenerateContentError(error: unknown, secrets: readonly string[]): ProviderError {
  return named(error, secrets);
}

function named(value: unknown, secrets: readonly string[], httpStatus?: number, retryAfterMs?: number): ProviderError {
  const error: JsonObject = isObject(value) ? value : {};
  const details = Array.isArray(error['details']) ? error['details'].filter(isObject) : [];
  const status = httpStatus ?? (typeof error['code'] === 'number' ? error['code'] : undefined);
  const message = isText(error['message']) ? error['message'].slice(0, MAX_MESSAGE) : '';
  const facts = { status, retryAfterMs: retryAfterMs ?? retryDelay(details) };
  const words = [error['status'], ...details.map(({ reason }) => reason)].filter(isText);
  return namedError(kindOf(status, error['status'], message, details), message, facts, secrets, words);
}

/** Characters of a message that are read. */
const MAX_MESSAGE = 4_000;

/** Names of gRPC codes, which say more than the number beside them. */
const kinds: Readonly<Record<string, ProviderErrorKind>> = {
  INVALID_ARGUMENT: 'invalid_request',
  OUT_OF_RANGE: 'invalid_request',
  // It is about our account or our place: billing is off, or the region is not served.
  FAILED_PRECONDITION: 'authentication',
  UNAUTHENTICATED: 'authentication',
  PERMISSION_DENIED: 'authentication',
  NOT_FOUND: 'model_unavailable',
  RESOURCE_EXHAUSTED: 'rate_limited',
  DEADLINE_EXCEEDED: 'timeout',
  ABORTED: 'overloaded',
  CANCELLED: 'overloaded',
  INTERNAL: 'overloaded',
  UNAVAILABLE: 'overloaded',
  UNKNOWN: 'overloaded',
};

const refusedKey = /api key (not valid|expired|not found)/i;
const tooLong = /token count[^.]*(exceed|only supports)|exceeds? the (maximum|limit)[^.]*\btokens?\b|too many (input )?tokens/i;
const usedUp = /PerDay|credits? (are|is) depleted|spend(ing)? (cap|limit)|billing account|limit: 0\b/i;

function kindOf(code: number | undefined, status: unknown, message: string, details: readonly JsonObject[]): ProviderErrorKind {
  const known = ownOf(kinds, status);
  const kind = known ?? (code === undefined ? 'bad_response' : kindOfStatus(code));
  if (kind === 'invalid_request') {
    // Google answers 400 for a wrong key, and for an expired one.
    if (refusedKey.test(message) || details.some(({ reason }) => isText(reason) && reason.startsWith('API_KEY_'))) return 'authentication';
    return tooLong.test(message) ? 'context_length_exceeded' : (kindOfLimit(message) ?? kind);
  }
  if (kind === 'rate_limited') return [message, ...quotas(details)].some((text) => usedUp.test(text)) ? 'insufficient_quota' : kind;
  // The client named a file that is not ours to read.
  return kind === 'authentication' && /access the file/i.test(message) ? 'invalid_request' : kind;
}

/** The limits that were exceeded, from QuotaFailure. */
function quotas(details: readonly JsonObject[]): string[] {
  return details
    .flatMap(({ violations }) => (Array.isArray(violations) ? violations.filter(isObject) : []))
    .map(({ quotaId }) => String(quotaId));
}

/**
 * The delay of RetryInfo in milliseconds, which is a protobuf duration: seconds with up to nine decimals (`34.4s`). At
 * most a day.
 */
function retryDelay(details: readonly JsonObject[]): number | undefined {
  const delay = details.find((detail) => isText(detail['retryDelay']))?.['retryDelay'];
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(String(delay))?.[1]);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.ceil(seconds * 1_000), MAX_RETRY_AFTER);
}
