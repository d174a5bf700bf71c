import type { Distribution, RankedToken } from '../language/distribution.js';
import type { LanguageModel, Reading } from '../language/language-model.js';
import type { Sampler } from '../language/sampler.js';
import { END, type Vocabulary } from '../language/vocabulary.js';

/** A token with the model's own probability for it: before temperature, bias, penalties and top_p. */
export interface ScoredToken {
  readonly id: number;
  /** Natural logarithm; null where nothing precedes the token, and where the request does not ask for it. */
  readonly logprob: number | null;
  /** The likeliest tokens at its place. */
  readonly top: readonly RankedToken[];
}

/** Yields the tokens of a text; undefined is its end. */
export interface TokenSource {
  next(): ScoredToken | undefined;
  /** Whether the text is known to have no more tokens. */
  readonly ended?: boolean;
}

/** How many likely tokens to report beside each one; undefined means no log probabilities at all. */
export type Ranking = number | undefined;

export function score(distribution: Distribution, id: number, ranking: Ranking): ScoredToken {
  if (ranking === undefined) return unscored(id);
  return { id, logprob: distribution.logprob(id), top: distribution.top(ranking) };
}

export function unscored(id: number): ScoredToken {
  return { id, logprob: null, top: [] };
}

/** What predicts the next token: the model itself, or the model that also knows a suffix. */
export type Predictor = Pick<LanguageModel, 'next'>;

/** Tokens that are drawn from the model's predictions. The first one can be seen, so that no answer is empty. */
export class SampledTokens implements TokenSource {
  #begun = false;

  constructor(
    private readonly predictor: Predictor,
    private readonly vocabulary: Vocabulary,
    private readonly reading: Reading,
    private readonly sampler: Sampler,
    private readonly ranking: Ranking,
  ) {}

  readonly #isVisible = (token: number): boolean => this.vocabulary.visible[token]!;

  next(): ScoredToken | undefined {
    const distribution = this.predictor.next(this.reading);
    const id = this.#begun ? this.sampler.pick(distribution) : this.sampler.pick(distribution, this.#isVisible);
    this.#begun = true;
    if (id === END) return undefined;
    const token = score(distribution, id, this.ranking);
    this.reading.read(id);
    return token;
  }
}

/** Tokens of a text that is already known, scored by the model as if it had written them. */
export class KnownTokens implements TokenSource {
  #position = 0;

  constructor(
    private readonly predictor: Predictor,
    private readonly reading: Reading,
    private readonly ids: readonly number[],
    private readonly ranking: Ranking,
  ) {}

  get ended(): boolean {
    return this.#position >= this.ids.length;
  }

  next(): ScoredToken | undefined {
    const id = this.ids[this.#position++];
    if (id === undefined) return undefined;
    if (this.ranking === undefined) return unscored(id);
    const token = score(this.predictor.next(this.reading), id, this.ranking);
    this.reading.read(id);
    return token;
  }
}
