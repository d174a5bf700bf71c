import type { PromptTokensDetails, Usage } from '../../../wire/usage.js';
import { isObject } from '../../../wire/json-object.js';
import { isText } from '../is-text.js';
import { type Places, readUsage } from '../read-usage.js';
import { tokenCount } from '../token-count.js';
import type { UsageMetadata } from './wire.js';

/**
 * Cached tokens are inside the prompt; prompts of Google's own tools are beside it, and thoughts beside the candidates
 * (ai.google.dev, UsageMetadata).
 */
const places: Places = { tool_tokens: 'beside', reasoning_tokens: 'beside' };

/**
 * Translates Google's counts.
 * @returns undefined where Google counted nothing, as for a blocked prompt, or below zero, and where neither prompt nor
 * output is told
 */
export function usageFrom(metadata: UsageMetadata): Usage | undefined {
  const { promptTokenCount: prompt, candidatesTokenCount: candidates, thoughtsTokenCount: thoughts, totalTokenCount: total } = metadata;
  if ([prompt, candidates, thoughts].some(isBelowZero)) return undefined;
  const completionParts = {
    ...(thoughts !== undefined && { reasoning_tokens: tokens(thoughts) }),
    ...modalities(metadata.candidatesTokensDetails, { AUDIO: 'audio_tokens', IMAGE: 'image_tokens' }),
  };
  // A count of 0 is left out.
  const completion = candidates ?? (thoughts === undefined && tokens(total) > 0 ? undefined : 0);
  const usage = readUsage({ prompt, completion, total, promptParts: promptParts(metadata), completionParts }, places);
  if (!usage || usage.total_tokens === 0) return undefined;
  const serviceTier = serviceTierOf(metadata);
  if (serviceTier !== undefined) usage.service_tier = serviceTier;
  return usage;
}

/** Traffic of Vertex AI that is no tier of its own is billed as standard, or paid for beforehand. */
function serviceTierOf({ serviceTier, trafficType }: UsageMetadata): string | undefined {
  if (isText(serviceTier)) return serviceTier === 'unspecified' ? 'standard' : serviceTier;
  if (!isText(trafficType)) return undefined;
  return /^ON_DEMAND_([A-Z]+)$/.exec(trafficType)?.[1]?.toLowerCase() ?? 'standard';
}

const inputModalities = { AUDIO: 'audio_tokens', IMAGE: 'image_tokens', VIDEO: 'video_tokens', DOCUMENT: 'file_tokens' } as const;

/** Parts of the prompt, as far as Google has counted them. */
function promptParts(metadata: UsageMetadata): PromptTokensDetails & { tool_tokens: number } {
  const { cachedContentTokenCount: cached, promptTokensDetails, toolUsePromptTokensDetails, cacheTokensDetails } = metadata;
  const ofCached = modalities(cacheTokensDetails, { AUDIO: 'audio_tokens', IMAGE: 'image_tokens' });
  return {
    ...modalities([...list(promptTokensDetails), ...list(toolUsePromptTokensDetails)], inputModalities),
    ...(cached !== undefined && { cached_tokens: tokens(cached) }),
    ...(Object.keys(ofCached).length > 0 && { cached_tokens_details: ofCached }),
    tool_tokens: tokens(metadata.toolUsePromptTokenCount),
  };
}

function modalities<Name extends string>(details: unknown, names: Readonly<Record<string, Name>>): Partial<Record<Name, number>> {
  const sums: Partial<Record<Name, number>> = {};
  for (const detail of list(details)) {
    if (!isObject(detail)) continue;
    const modality = String(detail['modality']);
    const count = tokens(detail['tokenCount']);
    if (count === 0 || !Object.hasOwn(names, modality)) continue;
    const name = names[modality]!;
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isBelowZero(count: unknown): boolean {
  return typeof count === 'number' && count < 0;
}

export function tokens(count: unknown): number {
  return tokenCount(count) ?? 0;
}
