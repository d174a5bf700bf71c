import { type Usage, usageOf } from '../../../wire/usage.js';
import type { UsageMetadata } from './wire.js';

/** @returns undefined where Google counted nothing, as for a blocked prompt */
export function usageFrom(metadata: UsageMetadata): Usage | undefined {
  const prompt = tokens(metadata.promptTokenCount) + tokens(metadata.toolUsePromptTokenCount);
  const reasoning = tokens(metadata.thoughtsTokenCount);
  const counted = metadata.candidatesTokenCount !== undefined || metadata.thoughtsTokenCount !== undefined;
  const completion = counted ? tokens(metadata.candidatesTokenCount) + reasoning : Math.max(0, tokens(metadata.totalTokenCount) - prompt);
  if (prompt === 0 && completion === 0) return undefined;
  const usage = usageOf(prompt, completion);
  if (metadata.cachedContentTokenCount !== undefined) {
    usage.prompt_tokens_details = { cached_tokens: tokens(metadata.cachedContentTokenCount) };
  }
  if (metadata.thoughtsTokenCount !== undefined) usage.completion_tokens_details = { reasoning_tokens: reasoning };
  return usage;
}

export function tokens(count: unknown): number {
  return typeof count === 'number' && count > 0 && Number.isSafeInteger(count) ? count : 0;
}
