import type { CompletionLogprobs } from '../../../wire/completion.js';
import type { GenerationChoice } from '../../../wire/generation.js';
import type { Vocabulary } from '../language/vocabulary.js';
import type { ChoiceDelta, PlacedToken } from './choice-delta.js';
import type { ChoiceShape } from './write-response.js';

/** Writes the deltas of a choice as the `text`s of a legacy completion. */
export class CompletionShape implements ChoiceShape {
  /** @param logprobs how many likely tokens to report beside each one; undefined: no log probabilities */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly logprobs: number | undefined,
  ) {}

  first(): undefined {
    return undefined;
  }

  part(index: number, delta: ChoiceDelta): GenerationChoice {
    return { index, text: delta.text, logprobs: delta.finish ? null : this.#logprobs(delta), finish_reason: delta.finish };
  }

  whole(index: number, delta: ChoiceDelta): GenerationChoice {
    return { index, text: delta.text, logprobs: this.#logprobs(delta), finish_reason: delta.finish };
  }

  #logprobs({ tokens }: ChoiceDelta): CompletionLogprobs | null {
    if (this.logprobs === undefined) return null;
    const { labels } = this.vocabulary;
    return {
      tokens: tokens.map((token) => labels[token.id]!),
      token_logprobs: tokens.map((token) => token.logprob),
      top_logprobs: this.logprobs === 0 ? null : tokens.map((token) => this.#top(token)),
      text_offset: tokens.map((token) => token.offset),
    };
  }

  /** As in the legacy API, the token itself is always among the reported ones. */
  #top({ id, logprob, top }: PlacedToken): Record<string, number> | null {
    if (logprob === null) return null;
    const { labels } = this.vocabulary;
    return Object.fromEntries([...top, { id, logprob }].map((one) => [labels[one.id]!, one.logprob]));
  }
}
