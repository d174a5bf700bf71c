import type { GenerationChunk } from '../../../wire/generation.js';
import type { Hole } from '../event-template.js';
import { type RunEnds, textEnds } from '../text-run.js';
import type { GenerateContentResponse, UsageMetadata } from './wire.js';

type Count = 'candidatesTokenCount' | 'totalTokenCount';

/** An event that is one delta of one text, so that the same event with another text is the next delta. */
export interface TextEvent {
  readonly event: GenerateContentResponse;
  readonly holes: readonly Hole[];
  /** The members of `usageMetadata` that count, in the order of their holes. */
  readonly counted: readonly Count[];
  /** The index of the choice. */
  readonly index: number;
  readonly ends: RunEnds;
}

/** @param chunk what `event` was translated to */
export function textEventOf(event: GenerateContentResponse, { choices }: GenerationChunk): TextEvent | undefined {
  const { candidates, usageMetadata } = event;
  const choice = choices[0];
  if (choices.length !== 1 || candidates?.length !== 1 || choice?.logprobs || !choice?.delta) return undefined;
  const [candidate] = candidates;
  const [field, ...others] = Object.keys(choice.delta);
  if (candidate!.content!.parts!.length !== 1 || others.length > 0) return undefined;
  if (field !== 'content' && field !== 'reasoning_content') return undefined;
  const usage = usageMetadata ?? {};
  const counted = (['candidatesTokenCount', 'totalTokenCount'] as const).filter((name) => usage[name] !== undefined);
  return { event, holes: holesOf(usage, counted), counted, index: choice.index, ends: textEnds(choice.index, field) };
}

function holesOf({ candidatesTokensDetails: details }: UsageMetadata, counted: readonly Count[]): Hole[] {
  const holes: Hole[] = [
    { kind: 'text', path: ['candidates', 0, 'content', 'parts', 0, 'text'] },
    ...counted.map((name): Hole => ({ kind: 'count', path: ['usageMetadata', name] })),
  ];
  // Vertex AI also counts by modality.
  if (details?.length === 1) holes.push({ kind: 'count', path: ['usageMetadata', 'candidatesTokensDetails', 0, 'tokenCount'] });
  return holes;
}
