import { concatBytes, textOf } from '../../wire/byte-text.js';
import type { GenerationChoice, GenerationChunk } from '../../wire/generation.js';

/**
 * Splits a run into one chunk for each of its events, with choices that can be changed. Other chunks are not changed.
 */
export function splitRun(chunk: GenerationChunk): readonly GenerationChunk[] {
  const { run, tokens } = chunk;
  if (!run) return [chunk];
  return run.literals.map((literal, position) => ({
    choices: choicesOf(textOf(concatBytes(run.head, literal, run.tail))),
    // The number of tokens is known for the whole run only, so the first chunk has them all.
    ...(tokens !== undefined && { tokens: position === 0 ? tokens : 0 }),
  }));
}

/** @param payload of an event, from its `"choices"` member on */
function choicesOf(payload: string): readonly GenerationChoice[] {
  return (JSON.parse(`{${payload}`) as GenerationChunk).choices;
}
