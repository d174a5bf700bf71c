import { map, mergeMap, type Subscribable } from 'rxjs';
import type { ToolCallDelta } from '../../wire/chat-completion.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { splitRun } from '../chunks/split-run.js';
import type { UpstreamCall } from '../planning/upstream-call.js';
import { toObservable } from './to-observable.js';

/**
 * Adapts the chunks of one upstream call to the client's request: the echo is put before the text, functions have the
 * client's names, and the indexes of the choices are shifted.
 */
export function asPlanned(
  chunks: Subscribable<GenerationChunk>,
  { firstIndex, echo, functionNames }: Pick<UpstreamCall, 'firstIndex' | 'echo' | 'functionNames'>,
): Subscribable<GenerationChunk> {
  if (functionNames) return toObservable(asPlanned(chunks, { firstIndex, echo })).pipe(map((chunk) => renamed(chunk, functionNames)));
  if (firstIndex === 0 && echo === undefined) return chunks;
  const echoed = echo === undefined ? (chunk: GenerationChunk) => chunk : prefixed(echo);
  return toObservable(chunks).pipe(
    mergeMap(splitRun),
    map((chunk) => shifted(echoed(chunk), firstIndex)),
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

function renamed(chunk: GenerationChunk, names: ReadonlyMap<string, string>): GenerationChunk {
  if (!chunk.choices.some(({ delta }) => delta?.tool_calls)) return chunk;
  const named = (call: ToolCallDelta): ToolCallDelta => {
    const name = names.get(call.function?.name ?? '');
    return name === undefined ? call : { ...call, function: { ...call.function, name } };
  };
  const choices = chunk.choices.map((choice) =>
    choice.delta?.tool_calls ? { ...choice, delta: { ...choice.delta, tool_calls: choice.delta.tool_calls.map(named) } } : choice,
  );
  return { ...chunk, choices };
}

function shifted(chunk: GenerationChunk, by: number): GenerationChunk {
  return { ...chunk, choices: chunk.choices.map((choice) => ({ ...choice, index: choice.index + by })) };
}
