import { isObject } from '../../wire/json-object.js';
import { isProviderError, ProviderError } from '../contract/provider-error.js';
import { parsedJson } from '../translation/parsed-json.js';
import { inBandError, namedError, upstreamError } from '../protocols/upstream-error.js';
import { vendorError } from '../protocols/vendor-error.js';
import { retryAfterMs } from '../transport/retry-after.js';

/** Causes of causes that are looked at. */
const MAX_CAUSES = 5;

/** Errors by which a package refuses what it is to send. */
const refusals: ReadonlySet<unknown> = new Set(['AI_UnsupportedFunctionalityError', 'AI_InvalidPromptError', 'AI_InvalidArgumentError']);

/** Errors by which a package says that its settings lack something. */
const settings: ReadonlySet<unknown> = new Set(['AI_LoadAPIKeyError', 'AI_LoadSettingError']);

/**
 * The error that a package has thrown, or told as a part of a stream: that of the transport where it is one, what the
 * vendor has said by status and body, or a bad answer.
 * @param status of the vendor's answer, if there was one: packages make up others
 */
export function errorFrom(thrown: unknown, secrets: readonly string[], status?: number): ProviderError {
  const chain = causesOf(thrown);
  for (const error of chain as unknown[]) if (isProviderError(error)) return error;
  for (const error of chain) {
    const known = knownError(error, secrets, status);
    if (known) return known;
  }
  const [error] = chain;
  // What the AI SDK throws quotes the answer.
  const quotes = chain.some((one) => /^AI_|^SyntaxError$/.test(String(one['name'])));
  const name = error instanceof Error ? error.name.slice(0, 100) : typeof thrown;
  return new ProviderError('bad_response', `The provider’s answer cannot be read (${name})`, quotes ? {} : { cause: thrown });
}

function knownError(error: Record<string, unknown>, secrets: readonly string[], status: number | undefined): ProviderError | undefined {
  const { name } = error;
  if (name === 'AI_APICallError') return refused(error, secrets, status);
  const message = typeof error['message'] === 'string' ? error['message'] : '';
  if (refusals.has(name)) return namedError('invalid_request', message, {}, secrets);
  if (settings.has(name)) return namedError('authentication', message, {}, secrets);
  if (name === 'AI_NoSuchModelError') return namedError('model_unavailable', message, {}, secrets);
  if (name === 'AI_TypeValidationError') return inBand(error['value'], secrets);
  return error instanceof Error ? undefined : inBand(error, secrets);
}

/** The answer to a request. One of a good status may have an error in it, or could not be read. */
function refused(error: Record<string, unknown>, secrets: readonly string[], answered: number | undefined): ProviderError | undefined {
  const { statusCode: told, responseHeaders: headers, responseBody: body, message } = error;
  if (answered === undefined ? typeof told !== 'number' : isGood(answered)) {
    const said = typeof body === 'string' ? parsedJson(body) : body;
    return inBand(isObject(said) && isObject(said['response']) ? said['response'] : said, secrets);
  }
  const status = answered ?? (told as number);
  const text = typeof body === 'string' ? body : JSON.stringify({ message });
  return upstreamError({ status, retryAfterMs: retryAfterMs(isObject(headers) ? headers : {}), body: text, secrets });
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** An error that stood in the stream. */
function inBand(told: unknown, secrets: readonly string[]): ProviderError | undefined {
  if (!isObject(told)) return undefined;
  const error = vendorError(told);
  const status = typeof told['statusCode'] === 'number' ? told['statusCode'] : undefined;
  return error && inBandError(status ? { ...error, status } : error, secrets);
}

function causesOf(thrown: unknown): Record<string, unknown>[] {
  const chain: Record<string, unknown>[] = [];
  let at = typeof thrown === 'string' ? { message: thrown } : thrown;
  while (isObject(at) && chain.length < MAX_CAUSES) {
    chain.push(at);
    at = at['cause'];
  }
  return chain;
}
