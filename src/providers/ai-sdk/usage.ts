import type { LanguageModelV3Usage, LanguageModelV4Usage } from '@ai-sdk/provider';
import { type Usage, usageOf } from '../../wire/usage.js';
import { isObject } from '../../wire/json-object.js';
import { isText } from '../protocols/is-text.js';
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
  const parts = (read ?? 0) + (written ?? 0);
  const prompt = atLeast(tokenCount(input?.total) ?? (plain === undefined ? undefined : plain + parts), (plain ?? 0) + parts);
  // Some packages count reasoning as text too: what a total says then counts.
  const completion = atLeast(
    tokenCount(output?.total) ?? (text === undefined ? undefined : text + (reasoning ?? 0)),
    Math.max(text ?? 0, reasoning ?? 0),
  );
  if (prompt === undefined || completion === undefined) return undefined;
  const usage = usageOf(prompt, completion);
  if (read !== undefined || written !== undefined)
    usage.prompt_tokens_details = {
      ...(read !== undefined && { cached_tokens: read }),
      ...(written !== undefined && { cache_creation_tokens: written }),
    };
  if (reasoning !== undefined) usage.completion_tokens_details = { reasoning_tokens: reasoning };
  const tier = serviceTierOf(metadata);
  if (tier !== undefined) usage.service_tier = tier;
  return usage;
}

function atLeast(total: number | undefined, parts: number): number | undefined {
  return total === undefined ? undefined : Math.max(total, parts);
}

function serviceTierOf(metadata: unknown): string | undefined {
  for (const said of isObject(metadata) ? Object.values(metadata) : []) {
    const tier = isObject(said) ? said['serviceTier'] : undefined;
    if (isText(tier)) return tier;
  }
  return undefined;
}
