import type { Distribution } from './distribution.js';
import type { Random } from './random.js';

export interface SamplingOptions {
  /** 0 always takes the likeliest token. */
  readonly temperature: number;
  readonly topP: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  /** What is added to the logits, by token id. */
  readonly logitBias: ReadonlyMap<number, number>;
}

/** How often a token that may not stand here is drawn again, before the likeliest one is taken that may. */
const REDRAWS = 16;

const any = () => true;

/** The relative difference that rounding makes between sums of the same weights in different orders. */
const ROUNDING = 1e-9;

interface Weighted {
  readonly id: number;
  readonly weight: number;
}

/**
 * Orders by weight, then by id. Weights are compared as 32-bit floats, in which values that differ by rounding alone
 * are equal.
 */
function likelierFirst(a: Weighted, b: Weighted): number {
  return Math.fround(b.weight) - Math.fround(a.weight) || a.id - b.id;
}

/**
 * Draws the tokens of one choice: logits are changed by bias and penalties, scaled by temperature and cut to the
 * nucleus.
 *
 * Candidates are the tokens whose weight is not a fixed share of the base: seen in this context, biased, or penalised.
 * All others are handled as one mass, and are looked at one by one only when the draw falls on it.
 */
export class Sampler {
  readonly #power: number;
  readonly #penalised: boolean;
  readonly #timesChosen = new Map<number, number>();
  /** e to the power of what is added to the logit, by token. Absent while nothing is added to any. */
  #factors?: Float64Array;
  readonly #adjusted: number[] = [];

  constructor(
    private readonly options: SamplingOptions,
    private readonly random: Random,
  ) {
    this.#power = 1 / options.temperature;
    this.#penalised = options.presencePenalty !== 0 || options.frequencyPenalty !== 0;
  }

  /** @param mayStand says which tokens may be drawn here; at least one of them may */
  pick(distribution: Distribution, mayStand: (token: number) => boolean = any): number {
    if (!this.#factors && this.options.logitBias.size > 0) {
      for (const [token, bias] of this.options.logitBias) this.#adjust(distribution, token, bias);
    }
    const token = this.#pickAmong(distribution, mayStand);
    if (this.#penalised) this.#penalise(distribution, token);
    return token;
  }

  #pickAmong(distribution: Distribution, mayStand: (token: number) => boolean): number {
    for (let draw = 0; this.options.temperature > 0 && draw < REDRAWS; draw++) {
      const count = this.#collect(distribution);
      const token = this.#draw(distribution, count, this.#likeliest(distribution, count, any));
      if (mayStand(token)) return token;
    }
    return this.#likeliest(distribution, this.#collect(distribution), mayStand).id;
  }

  #penalise(distribution: Distribution, token: number): void {
    const times = (this.#timesChosen.get(token) ?? 0) + 1;
    this.#timesChosen.set(token, times);
    const penalty = this.options.presencePenalty + times * this.options.frequencyPenalty;
    this.#adjust(distribution, token, (this.options.logitBias.get(token) ?? 0) - penalty);
  }

  #adjust(distribution: Distribution, token: number, logit: number): void {
    this.#factors ??= new Float64Array(distribution.extra.length);
    if (this.#factors[token] === 0) this.#adjusted.push(token);
    this.#factors[token] = Math.max(Math.exp(logit), Number.MIN_VALUE);
  }

  /**
   * Fills `drawn` with the candidates.
   * @returns how many there are
   */
  #collect(distribution: Distribution): number {
    const { seen, seenCount, extra, share, base } = distribution;
    const { ids, weights } = distribution.drawn;
    const factors = this.#factors;
    let count = 0;
    for (let i = 0; i < seenCount; i++) {
      const id = seen[i]!;
      ids[count] = id;
      weights[count++] = (share * base.weights[id]! + extra[id]!) * (factors?.[id] || 1);
    }
    for (const id of this.#adjusted) {
      if (extra[id]! > 0) continue;
      ids[count] = id;
      weights[count++] = share * base.weights[id]! * factors![id]!;
    }
    return count;
  }

  #isCandidate(distribution: Distribution, id: number): boolean {
    return distribution.extra[id]! > 0 || (this.#factors?.[id] ?? 0) > 0;
  }

  /** The likeliest token that may stand here with its weight, the lower id of equal ones. */
  #likeliest(distribution: Distribution, count: number, mayStand: (token: number) => boolean): { id: number; weight: number } {
    const { ids, weights } = distribution.drawn;
    let id = distribution.base.ranked.find((one) => !this.#isCandidate(distribution, one) && mayStand(one)) ?? -1;
    let weight = id < 0 ? -1 : distribution.probability(id);
    for (let i = 0; i < count; i++) {
      if (weights[i]! < weight || (weights[i] === weight && ids[i]! > id) || !mayStand(ids[i]!)) continue;
      [id, weight] = [ids[i]!, weights[i]!];
    }
    return { id, weight };
  }

  #draw(distribution: Distribution, count: number, likeliest: { id: number; weight: number }): number {
    const { base, share } = distribution;
    const { ids, weights } = distribution.drawn;
    const power = this.#power;
    const raised = base.raised(power);
    const scale = ((share * base.heaviest) / likeliest.weight) ** power;
    let total = 0;
    let rest = raised.total;
    for (let i = 0; i < count; i++) {
      const weight = weights[i]! / likeliest.weight;
      weights[i] = power === 1 ? weight : weight ** power;
      total += weights[i]!;
      rest -= raised.weights[ids[i]!]!;
    }
    total += scale * Math.max(rest, 0);
    // Near temperature 0 the powers can leave the range of numbers. By then only the likeliest token is ever drawn.
    if (!(total < Infinity)) return likeliest.id;
    if (this.options.topP < 1) return this.#drawFromNucleus(distribution, count, scale, total);

    // A banned token weighs less than sums are exact, so that only rounding can make the draw fall on it.
    const least = total * Number.EPSILON;
    let left = this.random.next() * total;
    for (let i = 0; i < count; i++) {
      left -= weights[i]!;
      if (left < 0 && weights[i]! > least) return ids[i]!;
    }
    for (const id of base.ranked) {
      if (this.#isCandidate(distribution, id)) continue;
      left -= scale * raised.weights[id]!;
      if (left < 0) return id;
    }
    return likeliest.id;
  }

  /** Draws from the likeliest tokens that together reach `topP` of the total, the lower id of equal ones first. */
  #drawFromNucleus(distribution: Distribution, count: number, scale: number, total: number): number {
    const { ids, weights } = distribution.drawn;
    const { ranked } = distribution.base;
    const raised = distribution.base.raised(this.#power);
    const candidates = Array.from({ length: count }, (_, i): Weighted => ({ id: ids[i]!, weight: weights[i]! })).sort(likelierFirst);
    const nucleus: Weighted[] = [];
    let mass = 0;
    let candidate = 0;
    let rest = 0;
    while (mass < this.options.topP * total * (1 - ROUNDING) || nucleus.length === 0) {
      while (rest < ranked.length && this.#isCandidate(distribution, ranked[rest]!)) rest++;
      const id = ranked[rest];
      const other = id === undefined ? undefined : { id, weight: scale * raised.weights[id]! };
      const first = candidates[candidate];
      const next = first && other ? (likelierFirst(first, other) < 0 ? first : other) : (first ?? other);
      if (!next) break;
      if (next === first) candidate++;
      else rest++;
      nucleus.push(next);
      mass += next.weight;
    }
    let left = this.random.next() * mass;
    return (nucleus.find(({ weight }) => (left -= weight) < 0) ?? nucleus[0]!).id;
  }
}
