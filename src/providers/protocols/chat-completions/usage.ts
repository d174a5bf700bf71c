import type { CompletionTokensDetails, PromptTokensDetails, Usage } from '../../../wire/usage.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { isText } from '../is-text.js';
import { cacheParts, type Places, readUsage } from '../read-usage.js';
import { tokenCount as tokens } from '../token-count.js';

/**
 * Translates a vendor's usage object to the wire format, with the details that are known.
 * @returns undefined where the prompt or completion tokens are not known, and do not follow from the total
 */
export function usageFrom(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = value;
  const sources = sourcesIn(value);
  const completionParts = { ...counts(value['completion_tokens_details'], completionNames), ...sources };
  const told = { prompt, completion, total, promptParts: promptParts(value), completionParts };
  const usage = readUsage(told, sources && besideSources);
  if (!usage) return undefined;
  if (isText(value['service_tier'])) usage.service_tier = value['service_tier'];
  const searches = searchesOf(value);
  if (searches !== undefined) usage.server_tool_use = { web_search_requests: searches };
  return usage;
}

/** What a vendor has told by now: its usage, or those of its counts that are known. Below zero it tells no tokens. */
export function countedSoFar(value: JsonObject): Partial<Usage> {
  const { prompt_tokens, completion_tokens, total_tokens } = value;
  const promptAlone = completion_tokens == null && tokens(prompt_tokens) !== undefined;
  const usage = usageFrom(value) ?? (promptAlone ? usageFrom({ ...value, completion_tokens: 0 }) : undefined);
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
  audio_tokens: 'audio_tokens',
  image_tokens: 'image_tokens',
  video_tokens: 'video_tokens',
  file_tokens: 'file_tokens',
} as const;

/** Names of the cache, in the details; or beside them: DeepSeek; Moonshot; servers that pass Anthropic's counts on. */
const readNames = ['cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens'];
const writtenNames = ['cache_write_tokens', 'cache_creation_tokens', 'cache_creation_input_tokens'];

const modalities = { audio_tokens: 'audio_tokens', image_tokens: 'image_tokens' } as const;

const completionNames = {
  reasoning_tokens: 'reasoning_tokens',
  audio_tokens: 'audio_tokens',
  image_tokens: 'image_tokens',
  citation_tokens: 'citation_tokens',
  accepted_prediction_tokens: 'accepted_prediction_tokens',
  rejected_prediction_tokens: 'rejected_prediction_tokens',
} as const;

/** Perplexity counts its sources beside completion and total. */
const besideSources: Places = { citation_tokens: 'apart', reasoning_tokens: 'apart' };

function promptParts(usage: JsonObject): PromptTokensDetails {
  const details = isObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {};
  const kept = details['cache_creation_token_details'] ?? usage['cache_creation'];
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = isObject(kept) ? kept : {};
  const parts: PromptTokensDetails = {
    ...cacheParts(firstOf(readNames, details, usage), firstOf(writtenNames, details, usage), short, long),
    ...counts(details, promptNames),
  };
  const cached = counts(details['cached_tokens_details'], modalities);
  if (Object.keys(cached).length > 0) parts.cached_tokens_details = cached;
  return parts;
}

/** Zeros of one place say nothing where another one has counted. */
function firstOf(names: readonly string[], ...places: readonly JsonObject[]): number | undefined {
  let told: number | undefined;
  for (const place of places)
    for (const name of names) {
      const count = tokens(place[name]);
      if (count) return count;
      told ??= count;
    }
  return told;
}

/** What Perplexity has read, and its reasoning where it reads. */
function sourcesIn(usage: JsonObject): CompletionTokensDetails | undefined {
  const [citation_tokens, reasoning_tokens] = [tokens(usage['citation_tokens']), tokens(usage['reasoning_tokens'])];
  return citation_tokens === undefined ? undefined : { citation_tokens, ...(reasoning_tokens && { reasoning_tokens }) };
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
