import { isObject } from '../../wire/json-object.js';
import { besideInput, cacheBeside } from '../protocols/anthropic-messages/usage.js';
import { readUsage } from '../protocols/read-usage.js';
import { tokenCount as tokens } from '../protocols/token-count.js';
import type { Usage } from '../../wire/usage.js';

/**
 * Translates the TokenUsage of Amazon Bedrock's Converse API (docs.aws.amazon.com, API_runtime_TokenUsage), which
 * counts what was read from a cache and written to it beside the input, and all of it in the total.
 * @returns undefined where input or output tokens are not known
 */
export function usageFrom(told: unknown): Usage | undefined {
  if (!isObject(told)) return undefined;
  const { inputTokens, outputTokens, totalTokens, cacheReadInputTokens, cacheWriteInputTokens, cacheDetails } = told;
  const promptParts = cacheBeside(
    cacheReadInputTokens,
    cacheWriteInputTokens,
    writtenFor(cacheDetails, '5m'),
    writtenFor(cacheDetails, '1h'),
  );
  return readUsage({ prompt: inputTokens, completion: outputTokens, total: totalTokens, promptParts }, besideInput);
}

/** Tokens that were written to a cache that keeps them so long. */
function writtenFor(details: unknown, ttl: '5m' | '1h'): number {
  if (!Array.isArray(details)) return 0;
  return details.filter(isObject).reduce((sum, one) => sum + (one['ttl'] === ttl ? (tokens(one['inputTokens']) ?? 0) : 0), 0);
}
