import type { PromptTokensDetails, Usage } from '../../../wire/usage.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { isText } from '../is-text.js';
import { cacheParts, type Places, readUsage } from '../read-usage.js';
import { tokenCount } from '../token-count.js';

/** What is read from a cache and written to it is counted beside the input (platform.claude.com/docs, prompt caching). */
export const besideInput: Places = { cached_tokens: 'beside', cache_creation_tokens: 'beside' };

/**
 * Translates the vendor's counts.
 * @param made calls of the vendor's tools that the answer has, where it may have any
 * @returns undefined where input or output are not told
 */
export function usageFrom(told: JsonObject, made?: Usage['server_tool_use']): Usage | undefined {
  const [kept, details, tools] = [inside(told, 'cache_creation'), inside(told, 'output_tokens_details'), inside(told, 'server_tool_use')];
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = kept;
  const promptParts = cacheBeside(told['cache_read_input_tokens'], told['cache_creation_input_tokens'], short, long);
  const thinking = tokenCount(details['thinking_tokens']);
  const completionParts = thinking === undefined ? {} : { reasoning_tokens: thinking };
  const { input_tokens: prompt, output_tokens: completion, total_tokens: total } = told;
  const usage = readUsage({ prompt, completion, total, promptParts, completionParts }, besideInput);
  if (!usage) return undefined;
  if (isText(told['service_tier'])) usage.service_tier = told['service_tier'];
  const [searches, fetches] = [tokenCount(tools['web_search_requests']), tokenCount(tools['web_fetch_requests'])];
  const counted = { ...(searches !== undefined && { web_search_requests: searches }), ...(fetches && { web_fetch_requests: fetches }) };
  if (made ?? (searches || fetches)) usage.server_tool_use = { ...made, ...counted };
  return usage;
}

/** Empty where nothing was read from the cache, nor written to it. */
export function cacheBeside(...counts: Parameters<typeof cacheParts>): PromptTokensDetails {
  const parts = cacheParts(...counts);
  return parts.cached_tokens || parts.cache_creation_tokens ? { cached_tokens: 0, cache_creation_tokens: 0, ...parts } : {};
}

function inside(usage: JsonObject, name: string): JsonObject {
  const inner = usage[name];
  return isObject(inner) ? inner : {};
}
