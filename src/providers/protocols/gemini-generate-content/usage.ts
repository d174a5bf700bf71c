import { type CompletionTokensDetails, type PromptTokensDetails, type Usage, usageOf } from '../../../wire/usage.js';
import { isObject } from '../../../wire/json-object.js';
import { isText } from '../is-text.js';
import { tokenCount } from '../token-count.js';
import type { UsageMetadata } from './wire.js';

/**
 * Google counts cached tokens inside the prompt; prompts of its own tools beside the prompt, and thoughts beside the
 * candidates. A prompt that is not told is what the total has beyond the output.
 * @returns undefined where Google counted nothing, as for a blocked prompt, or below zero, and where neither prompt nor
 * output is told
 */
export function usageFrom(metadata: UsageMetadata): Usage | undefined {
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = metadata;
  if ([promptTokenCount, candidatesTokenCount, thoughtsTokenCount].some(isBelowZero)) return undefined;
  const reasoning = tokens(thoughtsTokenCount);
  const counted = candidatesTokenCount !== undefined || thoughtsTokenCount !== undefined;
  const named = tokens(candidatesTokenCount) + reasoning;
  const total = tokens(metadata.totalTokenCount);
  const ofTools = tokens(metadata.toolUsePromptTokenCount);
  const told = tokenCount(promptTokenCount);
  if (told === undefined && !counted) return undefined;
  const prompt = told === undefined ? Math.max(ofTools, total - named) : told + ofTools;
  const completion = Math.max(named, total - prompt);
  if (prompt === 0 && completion === 0) return undefined;
  const usage = usageOf(prompt, completion);
  const input = promptDetails(metadata);
  if (input) usage.prompt_tokens_details = input;
  const output: CompletionTokensDetails = {
    ...(thoughtsTokenCount !== undefined && { reasoning_tokens: reasoning }),
    ...modalities(metadata.candidatesTokensDetails, { AUDIO: 'audio_tokens', IMAGE: 'image_tokens' }),
    ...(counted && completion > named && { unexplained_tokens: completion - named }),
  };
  if (Object.keys(output).length > 0) usage.completion_tokens_details = output;
  const serviceTier = serviceTierOf(metadata);
  if (serviceTier !== undefined) usage.service_tier = serviceTier;
  return usage;
}

/** Traffic of Vertex AI that is no tier of its own is billed as standard, or paid for beforehand. */
export function serviceTierOf({ serviceTier, trafficType }: UsageMetadata): string | undefined {
  if (isText(serviceTier)) return serviceTier === 'unspecified' ? 'standard' : serviceTier;
  if (!isText(trafficType)) return undefined;
  return /^ON_DEMAND_([A-Z]+)$/.exec(trafficType)?.[1]?.toLowerCase() ?? 'standard';
}

const inputModalities = { AUDIO: 'audio_tokens', IMAGE: 'image_tokens', VIDEO: 'video_tokens', DOCUMENT: 'file_tokens' } as const;

/** Parts of the prompt, as far as Google has counted them. */
export function promptDetails(metadata: UsageMetadata): PromptTokensDetails | undefined {
  const { cachedContentTokenCount: cached, promptTokensDetails, toolUsePromptTokensDetails, cacheTokensDetails } = metadata;
  const details: PromptTokensDetails = modalities([...list(promptTokensDetails), ...list(toolUsePromptTokensDetails)], inputModalities);
  if (cached !== undefined) details.cached_tokens = tokens(cached);
  const ofCached = modalities(cacheTokensDetails, { AUDIO: 'audio_tokens', IMAGE: 'image_tokens' });
  if (Object.keys(ofCached).length > 0) details.cached_tokens_details = ofCached;
  return Object.keys(details).length > 0 ? details : undefined;
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
