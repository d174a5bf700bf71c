import type { CompletionLogprobs } from '../../../wire/completion.js';
import type { GenerationChoice } from '../../../wire/generation.js';
import type { Vocabulary } from '../language/vocabulary.js';
import type { Piece, PlacedToken } from './piece.js';
import type { AnswerShape } from './write-answer.js';

/** Pieces as `text`s of a legacy completion. */
export class CompletionShape implements AnswerShape {
  /** @param logprobs how many likely tokens to report; undefined: no log probabilities */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly logprobs: number | undefined,
  ) {}

  first(): undefined {
    return undefined;
  }

  part(index: number, piece: Piece): GenerationChoice {
    return { index, text: piece.text, logprobs: piece.finish ? null : this.#logprobs(piece), finish_reason: piece.finish };
  }

  whole(index: number, piece: Piece): GenerationChoice {
    return { index, text: piece.text, logprobs: this.#logprobs(piece), finish_reason: piece.finish };
  }

  #logprobs({ tokens }: Piece): CompletionLogprobs | null {
    if (this.logprobs === undefined) return null;
    const { labels } = this.vocabulary;
    return {
      tokens: tokens.map((token) => labels[token.id]!),
      token_logprobs: tokens.map((token) => token.logprob),
      top_logprobs: this.logprobs === 0 ? null : tokens.map((token) => this.#top(token)),
      text_offset: tokens.map((token) => token.offset),
    };
  }

  /** As in the legacy API the token itself is always among them. */
  #top({ id, logprob, top }: PlacedToken): Record<string, number> | null {
    if (logprob === null) return null;
    const { labels } = this.vocabulary;
    return Object.fromEntries([...top, { id, logprob }].map((one) => [labels[one.id]!, one.logprob]));
  }
}
