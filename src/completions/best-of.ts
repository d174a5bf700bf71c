import type { CompletionLogprobs } from '../wire/completion.js';
import type { GenerationChoice } from '../wire/generation.js';

/** The specification demands `lowest`; the documentation of the wire format says `highest`. */
export type BestOfRanking = 'lowest' | 'highest';

/**
 * The best `n` choices of one prompt by log probability per token, in the order of their rank; choices of the same rank
 * keep their order. A choice without any generated token has no such figure and comes last.
 * @param promptLength UTF-16 code units of an echoed prompt, whose tokens are not counted
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

/** The mean natural logarithm of the probabilities of the generated tokens; undefined where there are none. */
function meanLogprob(logprobs: CompletionLogprobs | null | undefined, promptLength: number): number | undefined {
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
