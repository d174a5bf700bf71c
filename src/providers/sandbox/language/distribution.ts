/** How many raised bases are kept. Each temperature in use needs one. */
const KEPT_POWERS = 8;

/** The distribution that every context falls back on: a weight for each token. */
export class Base {
  /** Token ids, the heaviest first. */
  readonly ranked: Int32Array;
  readonly total: number;
  readonly #raised = new Map<number, { weights: Float64Array; total: number }>();

  constructor(readonly weights: Float64Array) {
    this.ranked = Int32Array.from(weights.keys()).sort((a, b) => weights[b]! - weights[a]! || a - b);
    this.total = sum(weights);
  }

  get heaviest(): number {
    return this.weights[this.ranked[0]!]!;
  }

  /** Raises each weight, divided by the heaviest one, to a power. */
  raised(power: number): { readonly weights: Float64Array; readonly total: number } {
    const known = this.#raised.get(power);
    if (known) return known;
    const weights = this.weights.map((weight) => (weight / this.heaviest) ** power);
    const raised = { weights, total: sum(weights) };
    if (this.#raised.size >= KEPT_POWERS) this.#raised.clear();
    this.#raised.set(power, raised);
    return raised;
  }
}

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);

export interface RankedToken {
  readonly id: number;
  readonly logprob: number;
}

/**
 * Probabilities of the next token over the whole vocabulary: every token has `share` of its base weight, and the few
 * hundred tokens that were seen in this context have an extra probability. In this form a step costs what was seen, not
 * the size of the vocabulary.
 */
export class Distribution {
  share = 1;
  /** The tokens with an extra probability; only the first `seenCount` entries are valid. */
  readonly seen: Int32Array;
  seenCount = 0;
  readonly extra: Float64Array;
  /** Scratch space for a sampler: tokens and their weights. */
  readonly drawn: { readonly ids: Int32Array; readonly weights: Float64Array };

  constructor(public base: Base) {
    const size = base.weights.length;
    this.seen = new Int32Array(size);
    this.extra = new Float64Array(size);
    this.drawn = { ids: new Int32Array(size), weights: new Float64Array(size) };
  }

  clear(base: Base): void {
    for (let i = 0; i < this.seenCount; i++) this.extra[this.seen[i]!] = 0;
    this.seenCount = 0;
    this.share = 1;
    this.base = base;
  }

  add(token: number, probability: number): void {
    if (this.extra[token] === 0) this.seen[this.seenCount++] = token;
    this.extra[token]! += probability;
  }

  /**
   * Multiplies each probability by `factors[token] * scale`. `base` must hold the old base multiplied by the same
   * factors.
   */
  reweigh(base: Base, factors: Float64Array, scale: number): void {
    let kept = 0;
    for (let i = 0; i < this.seenCount; i++) {
      const token = this.seen[i]!;
      this.extra[token]! *= factors[token]! * scale;
      if (this.extra[token]! > 0) this.seen[kept++] = token;
    }
    this.seenCount = kept;
    this.base = base;
    this.share *= scale;
  }

  /** Scales the probabilities so that they add up to one. */
  normalise(): void {
    let total = this.share * this.base.total;
    for (let i = 0; i < this.seenCount; i++) total += this.extra[this.seen[i]!]!;
    for (let i = 0; i < this.seenCount; i++) this.extra[this.seen[i]!]! /= total;
    this.share /= total;
  }

  probability(token: number): number {
    return this.share * this.base.weights[token]! + this.extra[token]!;
  }

  logprob(token: number): number {
    return Math.log(this.probability(token));
  }

  /** The likeliest tokens, the best first; equal ones are ordered by id. */
  top(count: number): RankedToken[] {
    const best: { id: number; probability: number }[] = [];
    const offer = (id: number) => {
      const probability = this.probability(id);
      const isBefore = (other: { id: number; probability: number }) =>
        probability > other.probability || (probability === other.probability && id < other.id);
      if (best.length === count && !isBefore(best[count - 1]!)) return false;
      let at = best.length;
      while (at > 0 && isBefore(best[at - 1]!)) at--;
      best.splice(at, 0, { id, probability });
      if (best.length > count) best.pop();
      return true;
    };
    if (count === 0) return [];
    for (let i = 0; i < this.seenCount; i++) offer(this.seen[i]!);
    for (const id of this.base.ranked) if (this.extra[id] === 0 && !offer(id)) break;
    return best.map(({ id, probability }) => ({ id, logprob: Math.log(probability) }));
  }
}
