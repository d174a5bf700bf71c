import { map, mergeMap, type Subscribable, tap } from 'rxjs';
import type { ModelProvider } from '../../providers/model-provider.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { splitRun } from '../chunks/split-run.js';
import type { UpstreamCall } from '../planning/plan-calls.js';
import { Attempt, type AttemptCall, type AttemptWatch } from './attempt.js';
import { toObservable } from './to-observable.js';
import { asChat, ChatAsText } from './via-chat.js';

/**
 * One upstream call, whose chunks are adapted to the client's request: chat deltas become text, the echo is put before
 * the text, and the indexes of the choices are shifted.
 * @param watch sees each chunk as the model generated it, and the end; what it throws is the call's error
 */
export function upstream(
  provider: ModelProvider,
  viaChat: boolean,
  planned: UpstreamCall,
  call: AttemptCall,
  watch: AttemptWatch,
): Subscribable<GenerationChunk> {
  const { request, firstIndex, echo } = planned;
  let chunks: Subscribable<GenerationChunk>;
  if (viaChat && request.operation === 'completion') {
    const text = new ChatAsText();
    chunks = toObservable(new Attempt(provider, asChat(request), call)).pipe(
      mergeMap(splitRun),
      map((chunk) => text.chunk(chunk)),
      tap(watch),
    );
  } else chunks = new Attempt(provider, request, call, watch);
  if (echo !== undefined) chunks = toObservable(chunks).pipe(mergeMap(splitRun), map(prefixed(echo)));
  if (firstIndex === 0) return chunks;
  return toObservable(chunks).pipe(
    mergeMap(splitRun),
    map((chunk) => shifted(chunk, firstIndex)),
  );
}

function prefixed(echo: string): (chunk: GenerationChunk) => GenerationChunk {
  const echoed = new Set<number>();
  return (chunk) => {
    const choices = chunk.choices.map((choice) => {
      if (echoed.has(choice.index)) return choice;
      echoed.add(choice.index);
      return { ...choice, text: echo + (choice.text ?? '') };
    });
    return { ...chunk, choices };
  };
}

function shifted(chunk: GenerationChunk, by: number): GenerationChunk {
  return { ...chunk, choices: chunk.choices.map((choice) => ({ ...choice, index: choice.index + by })) };
}
