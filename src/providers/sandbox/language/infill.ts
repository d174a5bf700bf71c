import { Base, type Distribution } from './distribution.js';
import type { LanguageModel, Reading } from './language-model.js';
import { END } from './vocabulary.js';

/** The chance that the suffix begins at any given place, which makes gaps of some twenty tokens. */
const ARRIVAL = 0.05;
/** How many tokens of the suffix are looked at. */
const LOOKAHEAD = 3;
/** The evidence that the counts of a pair of tokens must outweigh. */
const DOUBT = 0.5;

/**
 * Fills the gap before a suffix, as a noisy channel: the probability of a token is what the text before it makes it,
 * times how much likelier the suffix becomes after it. END means that the suffix begins here, and is as likely as the
 * suffix is at this place.
 *
 * All likelihoods of the suffix are relative to its likelihood anywhere, so that 1 carries no information.
 */
export class Infill {
  /** How much likelier each token makes the suffix after it. */
  readonly #factors: Float64Array;
  readonly #base: Base;
  readonly #suffix: readonly number[];
  readonly #anywhere: number;

  /** @param suffix at least one token */
  constructor(
    private readonly model: LanguageModel,
    suffix: readonly number[],
  ) {
    this.#suffix = suffix.slice(0, LOOKAHEAD);
    const first = this.#suffix[0]!;
    const anywhere = model.base.weights[first]!;
    const { often, inAll } = model.index.followedBy(first, model.base.weights.length);
    this.#factors = often.map((count, token) => {
      const behind = (count + DOUBT * anywhere) / (inAll[token]! + DOUBT);
      return 1 - ARRIVAL + (ARRIVAL * behind) / anywhere;
    });
    this.#factors[END] = 0;
    this.#base = new Base(model.base.weights.map((weight, token) => weight * this.#factors[token]!));
    this.#anywhere = this.#likelihood(model.newReading());
  }

  /** The distribution of the gap's next token. The next call fills the same object again. */
  next(reading: Reading): Distribution {
    const arrival = ARRIVAL * (this.#likelihood(reading.copy()) / this.#anywhere);
    const distribution = this.model.next(reading);
    distribution.reweigh(this.#base, this.#factors, 1 - ARRIVAL);
    distribution.add(END, arrival);
    distribution.normalise();
    return distribution;
  }

  /** The likelihood of the suffix at this place. */
  #likelihood(here: Reading): number {
    return this.#suffix.reduce((likelihood, token) => {
      const probability = this.model.next(here).probability(token);
      here.read(token);
      return likelihood * probability;
    }, 1);
  }
}
