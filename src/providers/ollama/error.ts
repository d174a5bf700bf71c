import { parsedJson } from '../translation/parsed-json.js';
import { inBandError, namedError, type UpstreamFailure, upstreamError } from '../protocols/upstream-error.js';
import { type VendorError, vendorError } from '../protocols/vendor-error.js';
import type { ProviderError } from '../contract/provider-error.js';

/** A prompt that does not fit, in the vendor's sentences and in those of the engines that it runs. */
const tooLong = /longer than the context length|exceeds? (the |its )?(available |maximum )?context/i;

/** The status that the vendor gives to an error of its engine before the response has begun. */
const ENGINE_FAILED = 500;

/** The error of a response whose status is not 2xx. */
export function ollamaError(failure: UpstreamFailure): ProviderError {
  const { status, retryAfterMs, body, secrets } = failure;
  const message = vendorError(parsedJson(body))?.message ?? '';
  if (tooLong.test(message)) return namedError('context_length_exceeded', message, { status, retryAfterMs }, secrets);
  return upstreamError(failure);
}

/** The error of a line of a stream, or of an error object in the place of a response: no status comes with it. */
export function inBandOllamaError(error: unknown, secrets: readonly string[]): ProviderError {
  const said: VendorError = vendorError({ error }) ?? { message: '', words: [] };
  if (tooLong.test(said.message)) return namedError('context_length_exceeded', said.message, {}, secrets);
  return inBandError({ ...said, status: said.status ?? ENGINE_FAILED }, secrets);
}
