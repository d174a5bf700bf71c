import { CONTEXT_LENGTH, ContextIndex, type PlaceRange } from './context-index.js';
import { Base, Distribution } from './distribution.js';
import { marker, type Marker } from './documents.js';
import { type TopicIndex, TopicMemory } from './topics.js';
import type { Vocabulary } from './vocabulary.js';

/**
 * How much less a context is trusted for each different token that followed it, by the length of the context from one
 * token on.
 */
const VARIETY = [0.003, 0.1, 0.6, 1.5, 1.5, 1.5];
/**
 * The evidence that a context must outweigh, in places whose document is on the topic, by the length of the context.
 */
const CAUTION = [0.0003, 0.005, 0.3, 1, 1, 1];
/** The part of the base that is spread evenly, so that every token can follow every other. */
const EVEN = 0.001;

/** The state of the model after the text that it has read. */
export class Reading {
  /** The last tokens, most recent first. */
  readonly history = new Int32Array(CONTEXT_LENGTH).fill(marker.nothing);

  constructor(
    readonly topics: TopicMemory,
    private readonly vocabulary: Vocabulary,
  ) {}

  copy(): Reading {
    const copy = new Reading(this.topics.copy(), this.vocabulary);
    copy.history.set(this.history);
    return copy;
  }

  beginTurn(turn: Marker): void {
    this.topics.nextTurn();
    this.#push(turn);
  }

  /** Reads a token. A new line begins a new text, because the corpus has none inside its texts. */
  read(token: number): void {
    this.topics.read(token);
    if (this.vocabulary.texts[token]?.startsWith('\n')) this.history.fill(marker.nothing).fill(marker.text, 0, 1);
    else this.#push(token);
  }

  #push(token: number): void {
    this.history.copyWithin(1, 0);
    this.history[0] = token;
  }
}

/**
 * An n-gram model with interpolated back-off: the followers of the longest known context are mixed with those of each
 * shorter one, down to a base that gives every token a chance. Each place of the corpus counts as much as its document
 * fits what has been read.
 */
export class LanguageModel {
  readonly base: Base;
  readonly #ranges: PlaceRange[] = Array.from({ length: CONTEXT_LENGTH }, () => ({ from: 0, to: 0 }));
  readonly #gains = new Float64Array(CONTEXT_LENGTH);
  readonly #counts: Float64Array;
  readonly #distribution: Distribution;

  constructor(
    readonly index: ContextIndex,
    private readonly topics: TopicIndex,
    private readonly vocabulary: Vocabulary,
  ) {
    this.base = new Base(baseWeights(index, vocabulary.size));
    this.#counts = new Float64Array(vocabulary.size);
    this.#distribution = new Distribution(this.base);
  }

  newReading(): Reading {
    return new Reading(new TopicMemory(this.topics), this.vocabulary);
  }

  /** The distribution of the next token. The next call fills the same object again. */
  next(reading: Reading): Distribution {
    this.#distribution.clear(this.base);
    const depth = this.index.find(reading.history, this.#ranges);
    if (depth > 0) {
      const weights = reading.topics.weights();
      this.#distribution.share = this.#trust(depth, weights);
      this.#spread(depth, weights);
    }
    return this.#distribution;
  }

  /**
   * Decides how much each context counts, from the longest on: `#gains` becomes what one place of full weight adds to
   * the probability of its token.
   * @returns what is left for the base
   */
  #trust(depth: number, weights: Float64Array): number {
    const { tokens, documents } = this.index;
    const counts = this.#counts;
    let total = 0;
    let variety = 0;
    let share = 1;
    const count = (place: number) => {
      const token = tokens[place]!;
      const weight = weights[documents[place]!]!;
      const before = counts[token]!;
      const after = before + weight;
      counts[token] = after;
      total += weight;
      variety += (after < 1 ? after : 1) - (before < 1 ? before : 1);
    };
    for (let k = depth - 1; k >= 0; k--) {
      this.#eachPlace(k, depth, count);
      const doubt = VARIETY[k]! * variety + CAUTION[k]!;
      this.#gains[k] = share / (total + doubt);
      share *= doubt / (total + doubt);
    }
    return share;
  }

  /** Adds up what each place gains from the contexts that it belongs to. */
  #spread(depth: number, weights: Float64Array): void {
    const { tokens, documents } = this.index;
    const [counts, distribution] = [this.#counts, this.#distribution];
    let gain = 0;
    const add = (place: number) => {
      const token = tokens[place]!;
      counts[token] = 0;
      distribution.add(token, gain * weights[documents[place]!]!);
    };
    for (let k = 0; k < depth; k++) {
      gain += this.#gains[k]!;
      this.#eachPlace(k, depth, add);
    }
  }

  /** Visits the places of a context that do not belong to a longer one. */
  #eachPlace(k: number, depth: number, visit: (place: number) => void): void {
    const { from, to } = this.#ranges[k]!;
    const inner = k + 1 < depth ? this.#ranges[k + 1]! : { from: to, to };
    for (let place = from; place < inner.from; place++) visit(place);
    for (let place = inner.to; place < to; place++) visit(place);
  }
}

/**
 * Weighs each token by the number of different tokens that it follows, not by how often it occurs: `Francisco` is
 * frequent, but only after `San`.
 */
function baseWeights(index: ContextIndex, size: number): Float64Array {
  const followed = index.predecessors(size);
  const total = followed.reduce((sum, one) => sum + one, 0);
  return followed.map((one) => (one / total) * (1 - EVEN) + EVEN / size);
}
