import type { MessageUsage } from '../wire/anthropic-message.js';
import type { GenerationChunk } from '../wire/generation.js';
import { isStandardTier } from '../wire/service-tier.js';
import { type PromptTokensDetails, type Usage, usageOf } from '../wire/usage.js';

/** The counts of an answer in Anthropic's words. */
export function messageUsage(usage: Usage): MessageUsage {
  const {
    prompt_tokens: prompt,
    completion_tokens,
    prompt_tokens_details: details = {},
    completion_tokens_details,
    server_tool_use,
  } = usage;
  const reasoning = completion_tokens_details?.reasoning_tokens;
  const { web_search_requests: searches, web_fetch_requests: fetches } = server_tool_use ?? {};
  return {
    ...promptCounts(prompt, details),
    output_tokens: completion_tokens,
    output_tokens_details: reasoning === undefined ? null : { thinking_tokens: reasoning },
    server_tool_use: (searches ?? fetches) === undefined ? null : { web_search_requests: searches ?? 0, web_fetch_requests: fetches ?? 0 },
    service_tier: tierOf(usage.service_tier),
    inference_geo: null,
    speed: null,
  };
}

/** A tier in the words of the format. */
function tierOf(tier: string | undefined): MessageUsage['service_tier'] {
  if (tier === undefined) return null;
  if (isStandardTier(tier)) return 'standard';
  return tier === 'priority' || tier === 'batch' ? tier : null;
}

/** What is known at the beginning of an answer: of its prompt what the provider has told, and no output. */
export function firstUsage({ promptTokens, promptDetails, usage, serviceTier }: GenerationChunk): MessageUsage {
  const told = usage ?? { ...usageOf(promptTokens ?? 0, 0), prompt_tokens_details: promptDetails, service_tier: serviceTier };
  return { ...messageUsage(told), output_tokens: 0 };
}

function promptCounts(
  prompt: number,
  { cached_tokens = 0, cache_creation_tokens = 0, cache_creation_token_details: kept }: PromptTokensDetails,
): Pick<MessageUsage, 'input_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens' | 'cache_creation'> {
  const long = kept?.ephemeral_1h_input_tokens ?? 0;
  return {
    input_tokens: Math.max(0, prompt - cached_tokens - cache_creation_tokens),
    cache_creation_input_tokens: cache_creation_tokens,
    cache_read_input_tokens: cached_tokens,
    cache_creation:
      cache_creation_tokens > 0 ? { ephemeral_5m_input_tokens: cache_creation_tokens - long, ephemeral_1h_input_tokens: long } : null,
  };
}
