import { Redactor } from '../../common/redaction/redactor.js';
import { ProviderError, type ProviderErrorFacts, type ProviderErrorKind } from '../contract/provider-error.js';
import { parsedJson } from '../translation/parsed-json.js';
import type { Refusal } from '../transport/upstream-response.js';
import { type VendorError, vendorError } from './vendor-error.js';

/** The lists of secrets are those of endpoints, which live as long as their providers. */
const redactors = new WeakMap<readonly string[], Redactor>();

/** Removes our credentials from a vendor's text: see `Redactor`. */
function redact(text: string, secrets: readonly string[]): string {
  let redactor = redactors.get(secrets);
  if (!redactor) redactors.set(secrets, (redactor = new Redactor(secrets)));
  return redactor.redact(text);
}

/** Characters of a vendor's message that are kept. */
const MAX_MESSAGE = 1_000;

/** Characters of the vendor's words about our own account that are logged. */
const MAX_DETAIL = 300;

/** Characters of a vendor's message that are looked through for our credentials; what follows is not kept. */
const MAX_REDACTED = 4 * MAX_MESSAGE;

export interface UpstreamFailure extends Pick<ProviderErrorFacts, 'status' | 'retryAfterMs'> {
  /** The text of the body, which may be JSON. */
  readonly body: string;
  /** Those of the response, where a vendor's code stands in one. */
  readonly headers?: Refusal['headers'];
  readonly secrets: readonly string[];
}

/** The error of a response whose status is not 2xx. */
export function upstreamError({ status = 0, retryAfterMs, body, secrets }: UpstreamFailure): ProviderError {
  const error = vendorError(parsedJson(body));
  return namedError(kindOf(status, error), error?.message ?? '', { status, retryAfterMs }, secrets, error?.words);
}

/**
 * The error of an error object inside a response of status 200. Without a status or a word that we know it is a bad
 * response.
 */
export function inBandError(error: VendorError, secrets: readonly string[]): ProviderError {
  const kind = error.status ? kindOf(error.status, error) : (refine(error) ?? byType(error) ?? 'bad_response');
  return namedError(kind, error.message, { status: error.status }, secrets, error.words);
}

/**
 * Makes a ProviderError. Where the vendor’s text speaks of our own account it is its `detail`, for the log alone.
 * Removes our credentials wherever they are echoed.
 * @param words the vendor’s codes
 */
export function namedError(
  kind: ProviderErrorKind,
  vendorText: string,
  facts: ProviderErrorFacts,
  secrets: readonly string[],
  words: readonly string[] = [],
): ProviderError {
  const status = facts.status ? ` (status ${facts.status})` : '';
  if (kind === 'authentication' || kind === 'insufficient_quota') {
    const message = kind === 'authentication' ? 'The provider refused our credentials' : 'Our account with the provider is used up';
    const said = [...new Set(words), vendorText.trim()].filter(Boolean).join(': ');
    const detail = redact(said.slice(0, MAX_REDACTED), secrets).slice(0, MAX_DETAIL);
    return new ProviderError(kind, message + status, detail ? { ...facts, detail } : facts);
  }
  // Such a text names our account.
  if (kind === 'content_filtered' && facts.status === 403)
    return new ProviderError(kind, `The provider refused the content${status}`, facts);
  const text = redact(vendorText.slice(0, MAX_REDACTED), secrets).trim().slice(0, MAX_MESSAGE);
  return new ProviderError(kind, text || `The provider answered with an error${status}`, { ...facts, quotes: text !== '' });
}

function kindOf(status: number, error: VendorError | undefined): ProviderErrorKind {
  return (error && refine(error, status)) ?? kindOfStatus(status);
}

/** The kind of error that a status means by itself. */
export function kindOfStatus(status: number): ProviderErrorKind {
  switch (status) {
    case 401:
    case 403:
      return 'authentication';
    case 402:
      return 'insufficient_quota';
    case 404:
    case 410:
      return 'model_unavailable';
    case 413:
      return 'request_too_large';
    case 408:
    case 504:
      return 'timeout';
    case 429:
      return 'rate_limited';
    default:
      if (status >= 500) return 'overloaded';
      return status >= 400 ? 'invalid_request' : 'bad_response';
  }
}

/** Codes and types that say more than the status: vendors answer 400 for a bad key, and 429 for a used-up account. */
const refinements: readonly (readonly [ProviderErrorKind, RegExp])[] = [
  ['context_length_exceeded', /^(context_length_exceeded|too_many_prompt_tokens|exceed_context_size_error)$/],
  ['offer_limit', /^(string|array|integer|decimal|number|object)_above_max_(length|value|properties)$/],
  ['content_filtered', /^(content_filter(ed)?|content_policy_violation|responsibleaipolicyviolation|data_inspection_failed)$/],
  ['insufficient_quota', /^(insufficient_quota|insufficient_credits|billing_not_active|billing_hard_limit_reached|payment_required)$/],
  ['authentication', /^(invalid_api_key|missing_api_key|expired_api_key|authentication_error|account_deactivated)$/],
  ['model_unavailable', /^(model_not_found|model_not_available|model_decommissioned|deploymentnotfound|unknown_model)$/],
  ['rate_limited', /^(rate_limit_exceeded|rate_limit_error|resource_exhausted)$/],
  ['bad_response', /^upstream_error$/],
];

/** Messages of servers that give no code for it. */
const contextMessage =
  /(maximum|max|available|model'?s) (context|prompt|sequence|input)( window)? (length|size|limit)|context (length|size|window)[^.]{0,40}exceed|exceeds? (the |its )?(available |maximum )?context|prompt is too long|total length of all messages is too long/i;
/** OpenAI's word for a text of the prompt that is longer than any may be. */
const promptMessage = /[.'](content|input|prompt|text|instructions)(\[\d+\])*': string too long/;

/** What vendors say where an id, a name, a list or a schema is beyond a limit of theirs, as their users have reported it. */
const limitMessages: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek
  /: (string|array) too long\. Expected|: string does not match pattern|does not match '\^.{1,100}' - '/,
  // Anthropic, and servers that check with pydantic
  /should (have at most \d+ (characters|items)|match pattern)/i,
  // Bedrock
  /must (have length less than|satisfy regular expression)/i,
  // Mistral
  /must be a-z, A-Z, 0-9, with a length/i,
  // Google
  /invalid function name\. must start|at most \d+ function declarations|maximum allowed nesting depth|too many states for serving/i,
  // Cohere
  /tool names can only contain/i,
  // xAI
  /maximum tools limit reached/i,
  // Groq
  /maximum number of items is \d/i,
  // vLLM
  /at most \d+ \w+\(s\) may be provided|which is greater than max allowed/i,
  // Ollama
  /cannot unmarshal \w+ into Go struct field/,
];

/** The kind of a refusal whose message names a limit of the vendor's own; undefined where it names none. */
export function kindOfLimit(message: string): 'offer_limit' | 'context_length_exceeded' | undefined {
  if (promptMessage.test(message)) return 'context_length_exceeded';
  return limitMessages.some((pattern) => pattern.test(message)) ? 'offer_limit' : undefined;
}

/** Messages of servers where the template of the model refuses a conversation, for some of which they answer 500. */
const templateMessage =
  /jinja (exception|template)|roles (must alternate|are supported)|system (message must be at the beginning|role not supported)|no user query found|single tool-calls at once|tool call ids should be/i;

const keyMessage = /(invalid|incorrect|not valid|missing)[^.]{0,20} api.?key|api.?key (is |was )?(not valid|invalid|incorrect|not found)/i;

/**
 * Messages with status 403 about the content of a request. They are OpenRouter's, and xAI's, whose code says that our
 * account lacks a permission.
 */
const contentMessage =
  /(input|prompt|content|message)s? (was|were|has been|is) flagged|content violates|violates (our |the )?(usage|content)/i;

/** Messages of rate limits that no pause helps: one request is larger than all that is allowed in a minute. */
const tooLargeMessage = /request (is )?too large|reduce your (message|prompt) size|tokens must be reduced/i;

function refine({ words, message }: VendorError, status = 400): ProviderErrorKind | undefined {
  if (status === 403 && contentMessage.test(message)) return 'content_filtered';
  for (const [kind, pattern] of refinements) {
    if (!words.some((word) => pattern.test(word))) continue;
    if (kind === 'offer_limit') return kindOfLimit(message) ?? kind;
    return kind === 'rate_limited' && (status === 413 || tooLargeMessage.test(message)) ? 'request_too_large' : kind;
  }
  if (status === 429 && tooLargeMessage.test(message)) return 'request_too_large';
  if ((status === 400 || status === 500) && templateMessage.test(message)) return 'offer_limit';
  if (status !== 400 && status !== 413 && status !== 422) return undefined;
  if (contextMessage.test(message)) return 'context_length_exceeded';
  const limit = status === 413 ? undefined : kindOfLimit(message);
  return limit ?? (status === 400 && keyMessage.test(message) ? 'authentication' : undefined);
}

/** The kind that the `type` of an error without a status means. */
function byType({ words }: VendorError): ProviderErrorKind | undefined {
  if (words.some((word) => /overloaded|unavailable|server_error|internal|capacity/.test(word))) return 'overloaded';
  if (words.some((word) => word.includes('timeout'))) return 'timeout';
  return words.some((word) => /^(invalid_request|bad_request|invalid_argument)/.test(word)) ? 'invalid_request' : undefined;
}
