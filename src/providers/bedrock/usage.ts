import { isObject } from '../../wire/json-object.js';
import { tokenCount as tokens } from '../protocols/token-count.js';
import { type PromptTokensDetails, type Usage, usageOf } from '../../wire/usage.js';

/**
 * Translates the TokenUsage of Amazon Bedrock's Converse API (docs.aws.amazon.com, API_runtime_TokenUsage), which
 * counts what was read from a cache and written to it beside the input, and all of it in the total.
 * @returns undefined where input or output tokens are not known
 */
export function usageFrom(told: unknown): Usage | undefined {
  if (!isObject(told)) return undefined;
  const [input, output] = [tokens(told['inputTokens']), tokens(told['outputTokens'])];
  if (input === undefined || output === undefined) return undefined;
  const [short, long] = [writtenFor(told['cacheDetails'], '5m'), writtenFor(told['cacheDetails'], '1h')];
  const read = tokens(told['cacheReadInputTokens']) ?? 0;
  const written = Math.max(tokens(told['cacheWriteInputTokens']) ?? 0, short + long);
  const prompt = input + read + written;
  const unexplained = Math.max(0, (tokens(told['totalTokens']) ?? 0) - prompt - output);
  const usage = usageOf(prompt, output + unexplained);
  const details: PromptTokensDetails = { cached_tokens: read, cache_creation_tokens: written };
  if (short + long > 0) details.cache_creation_token_details = { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long };
  if (read + written > 0) usage.prompt_tokens_details = details;
  if (unexplained > 0) usage.completion_tokens_details = { unexplained_tokens: unexplained };
  return usage;
}

/** Tokens that were written to a cache that keeps them so long. */
function writtenFor(details: unknown, ttl: '5m' | '1h'): number {
  if (!Array.isArray(details)) return 0;
  return details.filter(isObject).reduce((sum, one) => sum + (one['ttl'] === ttl ? (tokens(one['inputTokens']) ?? 0) : 0), 0);
}
