import type { LanguageModelV3Usage, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../../wire/usage.js';
import { isObject } from '../../wire/json-object.js';
import { isText } from '../protocols/is-text.js';
import { cacheParts, readUsage } from '../protocols/read-usage.js';
import { tokenCount } from '../protocols/token-count.js';

/**
 * Translates the counts of the AI SDK. The totals have all parts in them: the prompt what was read from a cache and
 * written to it, the output its reasoning.
 * @param metadata what the package says beside, where some name the service tier
 * @returns undefined where a total is not known, and does not follow from its parts
 */
export function usageFrom(told: LanguageModelV4Usage | LanguageModelV3Usage | undefined, metadata?: unknown): Usage | undefined {
  const { inputTokens: input, outputTokens: output } = told ?? {};
  const [read, written, plain] = [input?.cacheRead, input?.cacheWrite, input?.noCache].map(tokenCount);
  const [reasoning, text] = [output?.reasoning, output?.text].map(tokenCount);
  const [prompt, completion] = [tokenCount(input?.total), tokenCount(output?.total)];
  const usage = readUsage({
    // Some packages leave out of the total what was cached, and some count reasoning as text too.
    prompt: plain === undefined ? prompt : Math.max(prompt ?? 0, plain + (read ?? 0) + (written ?? 0)),
    completion: Math.max(completion ?? (text ?? NaN) + (reasoning ?? 0), text ?? 0, reasoning ?? 0),
    promptParts: cacheParts(read, written, undefined, undefined),
    ...(reasoning !== undefined && { completionParts: { reasoning_tokens: reasoning } }),
  });
  if (!usage) return undefined;
  const tier = serviceTierOf(metadata);
  if (tier !== undefined) usage.service_tier = tier;
  return usage;
}

function serviceTierOf(metadata: unknown): string | undefined {
  for (const said of isObject(metadata) ? Object.values(metadata) : []) {
    const tier = isObject(said) ? said['serviceTier'] : undefined;
    if (isText(tier)) return tier;
  }
  return undefined;
}
