import type { CompletionTokensDetails, PromptTokensDetails, Usage } from '../../../wire/usage.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { isText } from '../is-text.js';
import { tokenCount as tokens } from '../token-count.js';

/**
 * Translates a vendor's usage object to the wire format: integers of at least 0, a total that is their sum, and the
 * details that are known. Details are parts of prompt and completion, whichever way the vendor counts.
 * @returns undefined where the prompt or completion tokens are not known, and do not follow from the total
 */
export function usageFrom(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const total = tokens(value['total_tokens']) ?? 0;
  const named = tokens(value['completion_tokens']);
  const told = tokens(value['prompt_tokens']) ?? (named === undefined || total < named ? undefined : total - named);
  if (told === undefined || (named === undefined && total < told)) return undefined;
  const prompt = told + cacheBeside(value, total - told - (named ?? total));
  const outputDetails: CompletionTokensDetails = counts(value['completion_tokens_details'], completionNames);
  const sources = countSources(value, outputDetails);
  // xAI and Gemini count reasoning in the total only, and not in completion_tokens.
  const beyond = Math.max(0, total - prompt - (named ?? 0));
  const completion = (named ?? 0) + Math.max(beyond, sources);
  const unexplained = named === undefined ? 0 : beyond - sources - (outputDetails.reasoning_tokens ?? 0);
  if (unexplained > 0) outputDetails.unexplained_tokens = unexplained;

  const usage: Usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  const inputDetails = promptDetails(value);
  if (!isEmpty(inputDetails)) usage.prompt_tokens_details = inputDetails;
  if (!isEmpty(outputDetails)) usage.completion_tokens_details = outputDetails;
  if (isText(value['service_tier'])) usage.service_tier = value['service_tier'];
  const searches = searchesOf(value);
  if (searches !== undefined) usage.server_tool_use = { web_search_requests: searches };
  return usage;
}

/** What a vendor has told by now: its usage, or those of its counts that are known. Below zero it tells no tokens. */
export function countedSoFar(value: JsonObject): Partial<Usage> {
  const { prompt_tokens, completion_tokens, total_tokens } = value;
  const usage = usageFrom(value) ?? (completion_tokens == null ? usageFrom({ ...value, completion_tokens: 0 }) : undefined);
  if (usage) return usage;
  const searches = searchesOf(value);
  const calls = searches === undefined ? {} : { server_tool_use: { web_search_requests: searches } };
  if (isBelowZero(prompt_tokens) || isBelowZero(completion_tokens)) return calls;
  return {
    ...counts({ completion_tokens, total_tokens }, { completion_tokens: 'completion_tokens', total_tokens: 'total_tokens' }),
    ...calls,
  };
}

function isBelowZero(count: unknown): boolean {
  return typeof count === 'number' && count < 0;
}

const promptNames = {
  cached_tokens: 'cached_tokens',
  cache_creation_tokens: 'cache_creation_tokens',
  cache_write_tokens: 'cache_creation_tokens',
  audio_tokens: 'audio_tokens',
  image_tokens: 'image_tokens',
  video_tokens: 'video_tokens',
  file_tokens: 'file_tokens',
} as const;

/** Where vendors count the cache beside the details: DeepSeek; Moonshot; servers that pass Anthropic's counts on. */
const besideDetails = {
  prompt_cache_hit_tokens: 'cached_tokens',
  cached_tokens: 'cached_tokens',
  cache_read_input_tokens: 'cached_tokens',
  cache_creation_input_tokens: 'cache_creation_tokens',
} as const;

const modalities = { audio_tokens: 'audio_tokens', image_tokens: 'image_tokens' } as const;

const lasting = {
  ephemeral_5m_input_tokens: 'ephemeral_5m_input_tokens',
  ephemeral_1h_input_tokens: 'ephemeral_1h_input_tokens',
} as const;

const completionNames = {
  reasoning_tokens: 'reasoning_tokens',
  audio_tokens: 'audio_tokens',
  image_tokens: 'image_tokens',
  citation_tokens: 'citation_tokens',
  accepted_prediction_tokens: 'accepted_prediction_tokens',
  rejected_prediction_tokens: 'rejected_prediction_tokens',
} as const;

function promptDetails(usage: JsonObject): PromptTokensDetails {
  const told = isObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  const details: PromptTokensDetails = Object.assign(counts(usage, besideDetails), counts(told, promptNames));
  const cached = counts(told['cached_tokens_details'], modalities);
  if (!isEmpty(cached)) details.cached_tokens_details = cached;
  const written = counts(told['cache_creation_token_details'] ?? usage['cache_creation'], lasting);
  if (isEmpty(written)) return details;
  details.cache_creation_token_details = written;
  const { ephemeral_5m_input_tokens: short = 0, ephemeral_1h_input_tokens: long = 0 } = written;
  details.cache_creation_tokens = Math.max(details.cache_creation_tokens ?? 0, short + long);
  return details;
}

/**
 * Tokens that were read from a cache and written to it, where a server that passes Anthropic's counts on counts them
 * beside the prompt, which its total says.
 * @param beyond what the total has beyond prompt and completion
 */
function cacheBeside(usage: JsonObject, beyond: number): number {
  const beside = (tokens(usage['cache_read_input_tokens']) ?? 0) + (tokens(usage['cache_creation_input_tokens']) ?? 0);
  if (beside === 0) return 0;
  const { reasoning_tokens: reasoning = 0 } = counts(usage['completion_tokens_details'], completionNames);
  return beyond === beside || beyond === beside + reasoning ? beside : 0;
}

/**
 * Perplexity counts the text of its sources, and where it does, its reasoning too, beside the totals; they are added to
 * `details`.
 * @returns how many they are
 */
function countSources(usage: JsonObject, details: CompletionTokensDetails): number {
  const citations = tokens(usage['citation_tokens']);
  if (citations === undefined) return 0;
  const reasoning = tokens(usage['reasoning_tokens']) ?? 0;
  details.citation_tokens = citations;
  if (reasoning > 0) details.reasoning_tokens = reasoning;
  return citations + reasoning;
}

/** Perplexity; OpenRouter; xAI, which charges for each source. Undefined where the vendor has not counted. */
function searchesOf(usage: JsonObject): number | undefined {
  const used = usage['server_tool_use'];
  const counted = isObject(used) ? used['web_search_requests'] : undefined;
  return tokens(usage['num_search_queries']) ?? tokens(counted) ?? tokens(usage['num_sources_used']);
}

function counts<Name extends string>(value: unknown, names: Readonly<Record<string, Name>>): Partial<Record<Name, number>> {
  const result: Partial<Record<Name, number>> = {};
  if (!isObject(value)) return result;
  for (const vendorName in names) {
    const count = tokens(value[vendorName]);
    if (count !== undefined) result[names[vendorName]!] = count;
  }
  return result;
}

function isEmpty(value: object): boolean {
  for (const _name in value) return false;
  return true;
}
