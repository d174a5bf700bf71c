import { isObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../contract/provider-error.js';
import { inBandError } from '../upstream-error.js';
import { vendorError } from '../vendor-error.js';

/** The error of a response that has failed, or of an event `error`. @param error its `error`, or the event */
export function failureOf(error: unknown, secrets: readonly string[]): ProviderError {
  const told = vendorError(isObject(error) && error['error'] === undefined ? { error } : error);
  if (!told) return new ProviderError('bad_response', 'The provider broke its answer off');
  return inBandError({ ...told, words: told.words.flatMap((word) => [word, ...(meanings(word) ?? [])]) }, secrets);
}

/** What words of this format alone mean (ResponseError.code). */
function meanings(word: string): readonly string[] | undefined {
  if (word === 'invalid_prompt' || word === 'image_content_policy_violation') return ['content_policy_violation'];
  return /^(invalid|unsupported|empty)_|^image_|_image_/.test(word) ? ['invalid_request_error'] : undefined;
}
