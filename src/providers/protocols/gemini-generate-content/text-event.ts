import type { GenerationChunk } from '../../../wire/generation.js';
import type { Hole } from '../event-template.js';
import { type RunEnds, textEnds } from '../text-run.js';
import type { GenerateContentResponse, UsageMetadata } from './wire.js';

type Count = 'candidatesTokenCount' | 'totalTokenCount';

/** An event that is one piece of one text, such that another text in its place would be another piece of it. */
export interface TextEvent {
  readonly event: GenerateContentResponse;
  /** What it counts, in the order of the holes. */
  readonly counted: readonly Count[];
  /** Of the choice. */
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
  return { event, counted: countedBy(usageMetadata ?? {}), index: choice.index, ends: textEnds(choice.index, field) };
}

/** What of an event of a piece changes with its text. */
export function holesOf(event: GenerateContentResponse): Hole[] {
  const usageMetadata = event.usageMetadata ?? {};
  const holes: Hole[] = [
    { kind: 'text', path: ['candidates', 0, 'content', 'parts', 0, 'text'] },
    ...countedBy(usageMetadata).map((name): Hole => ({ kind: 'count', path: ['usageMetadata', name] })),
  ];
  // Vertex AI counts by modality too.
  const { candidatesTokensDetails: details } = usageMetadata;
  if (details?.length === 1) holes.push({ kind: 'count', path: ['usageMetadata', 'candidatesTokensDetails', 0, 'tokenCount'] });
  return holes;
}

function countedBy(usage: UsageMetadata): Count[] {
  return (['candidatesTokenCount', 'totalTokenCount'] as const).filter((name) => usage[name] !== undefined);
}
