import type { CompletionLogprobs } from '../wire/completion.js';
import type { GenerationChoice } from '../wire/generation.js';

/** The specification asks for `lowest`; `highest` is what the wire format's own documentation says today. */
export type BestOfRanking = 'lowest' | 'highest';

/**
 * The `n` choices of one prompt that rank first by log probability per token, first ranked first; equal ones keep their order. A choice without
 * any generated token has no such figure and comes after all that have one.
 * @param promptLength UTF-16 code units of an echoed prompt, whose tokens do not count
 */
export function bestOf(choices: readonly GenerationChoice[], n: number, ranking: BestOfRanking, promptLength = 0): GenerationChoice[] {
  const sign = ranking === 'lowest' ? 1 : -1;
  const ranked = choices.map((choice) => {
    const mean = meanLogprob(choice.logprobs as CompletionLogprobs | null | undefined, promptLength);
    return { choice, rank: mean === undefined ? Number.POSITIVE_INFINITY : sign * mean };
  });
  return ranked
    .sort((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank))
    .slice(0, n)
    .map(({ choice }) => choice);
}

/** Natural logarithm, per generated token; undefined where there is none. */
export function meanLogprob(logprobs: CompletionLogprobs | null | undefined, promptLength: number): number | undefined {
  if (!logprobs) return undefined;
  const { token_logprobs, text_offset } = logprobs;
  let sum = 0;
  let tokens = 0;
  for (let index = 0; index < token_logprobs.length; index++) {
    const logprob = token_logprobs[index];
    if (typeof logprob !== 'number' || (text_offset[index] ?? promptLength) < promptLength) continue;
    sum += logprob;
    tokens++;
  }
  return tokens === 0 ? undefined : sum / tokens;
}
