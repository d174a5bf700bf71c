import type { Usage } from '../../../wire/usage.js';
import { isObject } from '../../../wire/json-object.js';

/**
 * Translates a vendor's usage object to the wire format: integers of at least 0, a total that is their sum, and the
 * details that are known.
 * @returns undefined where the prompt or completion tokens are not known
 */
export function usageFrom(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const prompt = tokens(value['prompt_tokens']);
  const total = tokens(value['total_tokens']) ?? 0;
  if (prompt === undefined) return undefined;
  const named = tokens(value['completion_tokens']);
  if (named === undefined && total < prompt) return undefined;
  // xAI and Gemini count reasoning in the total only, and not in completion_tokens.
  const completion = Math.max(named ?? 0, total - prompt);
  const usage: Usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  const promptDetails = details(value['prompt_tokens_details'], promptNames);
  const cached = tokens(value['prompt_cache_hit_tokens']);
  if (cached !== undefined && promptDetails.cached_tokens === undefined) promptDetails.cached_tokens = cached;
  if (Object.keys(promptDetails).length > 0) usage.prompt_tokens_details = promptDetails;
  const completionDetails = details(value['completion_tokens_details'], completionNames);
  if (Object.keys(completionDetails).length > 0) usage.completion_tokens_details = completionDetails;
  return usage;
}

/** A count far beyond any model, and within the integers of every store. */
const MAX_TOKENS = 2 ** 31 - 1;

type PromptDetails = NonNullable<Usage['prompt_tokens_details']>;
type CompletionDetails = NonNullable<Usage['completion_tokens_details']>;

const promptNames: Readonly<Record<string, keyof PromptDetails>> = {
  cached_tokens: 'cached_tokens',
  cache_creation_tokens: 'cache_creation_tokens',
  cache_write_tokens: 'cache_creation_tokens',
  audio_tokens: 'audio_tokens',
};

const completionNames: Readonly<Record<string, keyof CompletionDetails>> = {
  reasoning_tokens: 'reasoning_tokens',
  audio_tokens: 'audio_tokens',
  accepted_prediction_tokens: 'accepted_prediction_tokens',
  rejected_prediction_tokens: 'rejected_prediction_tokens',
};

function details<Name extends string>(value: unknown, names: Readonly<Record<string, Name>>): Partial<Record<Name, number>> {
  const result: Partial<Record<Name, number>> = {};
  if (!isObject(value)) return result;
  for (const [vendorName, name] of Object.entries(names)) {
    const count = tokens(value[vendorName]);
    if (count !== undefined) result[name] = count;
  }
  return result;
}

function tokens(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, Math.ceil(value)), MAX_TOKENS) : undefined;
}
