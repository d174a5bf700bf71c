/** What is known of a part of prompts or answers before any was counted. */
export interface Part {
  /** Tokens of one unit of it. */
  readonly usual: number;
  /** How far from that most models are. */
  readonly spread: number;
  /** What no model goes beyond, so that nothing else is believed. */
  readonly range: readonly [least: number, most: number];
}

/** A number for each part: how much there is of it, or how many tokens a unit of it comes to. */
export type Amounts<Name extends string> = Readonly<Record<Name, number>>;

/** Answers after which an old one counts for little. */
const MEMORY = 64;
const KEPT = 1 - 1 / MEMORY;

/** By how much of it most counts differ from the sum of their parts. */
const NOISE = 0.3;

/** Tokens of a count below which it weighs no more, because it is rounded and says little. */
const LEAST = 16;

/**
 * Learns how many tokens a unit of each part comes to, from counts of their sum: least squares of relative errors, in
 * which what was known before counts as much as its spread says (ridge regression). Its size is fixed, and an answer
 * costs some operations for each pair of parts.
 */
export class LinearFit<Name extends string> {
  readonly #names: readonly Name[];
  readonly #parts: readonly Part[];
  /**
   * A row for each part: sums over the answers of the products of its amount and those of all parts, and of its amount
   * and the count.
   */
  readonly #sums: Float64Array[];
  /** The rows while they are solved. */
  readonly #rows: Float64Array[];
  readonly #amounts: Float64Array;
  readonly #rates: Float64Array;

  constructor(parts: Readonly<Record<Name, Part>>) {
    this.#names = Object.keys(parts) as Name[];
    this.#parts = Object.values(parts);
    const size = this.#parts.length;
    this.#sums = this.#parts.map(() => new Float64Array(size + 1));
    this.#rows = this.#parts.map(() => new Float64Array(size + 1));
    this.#amounts = new Float64Array(size);
    this.#rates = Float64Array.from(this.#parts, ({ usual }) => usual);
  }

  /** Tokens of a unit of the part. */
  rate(name: Name): number {
    return this.#rates[this.#names.indexOf(name)]!;
  }

  tokens(amounts: Amounts<Name>): number {
    let sum = 0;
    for (let index = 0; index < this.#names.length; index++) sum += amounts[this.#names[index]!] * this.#rates[index]!;
    return sum;
  }

  see(amounts: Amounts<Name>, tokens: number): void {
    const weight = 1 / Math.max(tokens, this.tokens(amounts), LEAST) ** 2;
    const size = this.#names.length;
    for (let index = 0; index < size; index++) this.#amounts[index] = amounts[this.#names[index]!];
    for (let index = 0; index < size; index++) {
      const sums = this.#sums[index]!;
      const one = weight * this.#amounts[index]!;
      for (let other = 0; other < size; other++) sums[other] = KEPT * sums[other]! + one * this.#amounts[other]!;
      sums[size] = KEPT * sums[size]! + one * tokens;
    }
    this.#solve();
  }

  /** Gaussian elimination. The matrix is positive definite, so that no pivot is zero. */
  #solve(): void {
    const size = this.#names.length;
    for (let index = 0; index < size; index++) {
      const { usual, spread } = this.#parts[index]!;
      const prior = (NOISE / spread) ** 2;
      const row = this.#rows[index]!;
      row.set(this.#sums[index]!);
      row[index]! += prior;
      row[size]! += prior * usual;
    }
    for (let pivot = 0; pivot < size; pivot++) {
      const row = this.#rows[pivot]!;
      for (let below = pivot + 1; below < size; below++) {
        const lower = this.#rows[below]!;
        const factor = lower[pivot]! / row[pivot]!;
        for (let column = pivot; column <= size; column++) lower[column]! -= factor * row[column]!;
      }
    }
    for (let index = size - 1; index >= 0; index--) {
      const row = this.#rows[index]!;
      let rest = row[size]!;
      for (let column = index + 1; column < size; column++) rest -= row[column]! * this.#rates[column]!;
      this.#rates[index] = within(rest / row[index]!, this.#parts[index]!.range);
    }
  }
}

export function tokensOf<Name extends string>(amounts: Amounts<Name>, rates: Amounts<Name>): number {
  let sum = 0;
  for (const name in rates) sum += amounts[name] * rates[name];
  return sum;
}

export function within(value: number, [least, most]: readonly [number, number]): number {
  return Math.min(most, Math.max(least, value));
}
