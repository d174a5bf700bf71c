import type { Integer } from './integer.js';
import { ownOf } from './own-members.js';

/**
 * Token counts of one answer (specification, Resources). All in tokens. Details are parts of their total, in the wire
 * format's own words; those that the format has no word for are in the words that gateways use for them.
 */
export interface Usage {
  prompt_tokens: Integer;
  completion_tokens: Integer;
  total_tokens: Integer;
  prompt_tokens_details?: PromptTokensDetails;
  completion_tokens_details?: CompletionTokensDetails;
  /** The service tier at which the provider says that it has answered, in the vendor's word. */
  service_tier?: string;
  /** What the provider did beside generating, counted by calls. */
  server_tool_use?: { web_search_requests?: Integer; web_fetch_requests?: Integer; hosted_calls?: Integer };
  /** The vendor's counts contradict each other, and were read as its documents say. No client is told. */
  contradictory?: true;
}

/** What was read from a cache, what was written to it, and the rest make up a prompt; so do its modalities. */
export interface PromptTokensDetails {
  /** Read from a cache. */
  cached_tokens?: Integer;
  /** Those of them that are of a modality. */
  cached_tokens_details?: { audio_tokens?: Integer; image_tokens?: Integer };
  /** Written to a cache. */
  cache_creation_tokens?: Integer;
  /** Those of them by how long they are kept; what is not named is kept for 5 minutes. */
  cache_creation_token_details?: { ephemeral_5m_input_tokens?: Integer; ephemeral_1h_input_tokens?: Integer };
  audio_tokens?: Integer;
  image_tokens?: Integer;
  video_tokens?: Integer;
  file_tokens?: Integer;
}

export interface CompletionTokensDetails {
  reasoning_tokens?: Integer;
  audio_tokens?: Integer;
  image_tokens?: Integer;
  /** Text of the sources of an answer, where a vendor counts it. */
  citation_tokens?: Integer;
  accepted_prediction_tokens?: Integer;
  rejected_prediction_tokens?: Integer;
  /** What is in the vendor's total, and in none of its parts. */
  unexplained_tokens?: Integer;
}

export function usageOf(promptTokens: number, completionTokens: number): Usage {
  return { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: promptTokens + completionTokens };
}

/** The sum of the counts and of all details. */
export function sumOf(usages: readonly Usage[]): Usage {
  return usages.reduce<Usage>((sum, usage) => added(sum, usage), usageOf(0, 0));
}

function added<T extends object>(sum: T, counts: T): T {
  const result = { ...sum } as Record<string, unknown>;
  for (const [name, count] of Object.entries(counts)) {
    const before = ownOf(result, name);
    if (typeof count === 'number') result[name] = (typeof before === 'number' ? before : 0) + count;
    else if (typeof count === 'object' && count !== null) result[name] = added(before ?? {}, count as object);
  }
  return result as T;
}

/**
 * Of parts that are more than their sum as much as the sum; of what was written to a cache no more than was not read
 * from it.
 * @returns the same object where nothing contradicts
 */
export function withinSums<Told extends Partial<Usage>>(told: Told): Told {
  const { prompt_tokens: prompt = Infinity, completion_tokens: completion = Infinity } = told;
  const { prompt_tokens_details: input, completion_tokens_details: output } = told;
  const unread = Math.max(0, prompt - (input?.cached_tokens ?? 0));
  const inputWithin = input && within(input, (name) => (name.startsWith('cache_creation') ? unread : prompt));
  const outputWithin = output && within(output, () => completion);
  if (inputWithin === input && outputWithin === output) return told;
  return {
    ...told,
    ...(inputWithin && { prompt_tokens_details: inputWithin }),
    ...(outputWithin && { completion_tokens_details: outputWithin }),
    contradictory: true,
  };
}

function within<Parts extends object>(parts: Parts, most: (name: string) => number): Parts {
  let cut: Parts | undefined;
  for (const name in parts) {
    const [part, limit]: [unknown, number] = [parts[name], most(name)];
    const least =
      typeof part === 'object' && part !== null ? within(part, () => limit) : typeof part === 'number' && part > limit ? limit : part;
    if (least !== part) (cut ??= { ...parts })[name] = least as Parts[typeof name];
  }
  return cut ?? parts;
}
