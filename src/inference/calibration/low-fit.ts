import { type Amounts, LinearFit, type Part, within } from './linear-fit.js';
import { lowOf, MEMORY } from './low-estimate.js';

/** Answers from which a fit knows enough for its errors to say something. */
const FIRST = 4;

/** Tokens from which on the share of an error says something. */
const LEAST = 16;

/**
 * Shares of what the fit expects that are believed. Counts far above it have something in them that the gateway does
 * not see, and must not make a low estimate lower.
 */
const SHARES = [0.2, 1.3] as const;

/** Tokens of a unit of each part, so low that their sum is below most counts. */
export class LowFit<Name extends string> {
  readonly #fit: LinearFit<Name>;
  readonly #names: readonly Name[];
  readonly #heard: Record<Name, number>;
  #answers = 0;
  /** Of the last answers whose errors say something: amounts of all parts one after another, and counts. */
  readonly #amounts: number[] = [];
  readonly #counts: number[] = [];
  /** Shares that the counts were of what the fit had expected before it saw them. */
  readonly #shares: number[] = [];
  #kept = 0;
  /** Undefined where it has to be made again. */
  #lowShare: number | undefined;

  constructor(parts: Readonly<Record<Name, Part>>) {
    this.#fit = new LinearFit(parts);
    this.#names = Object.keys(parts) as Name[];
    this.#heard = Object.fromEntries(this.#names.map((name) => [name, 0])) as Record<Name, number>;
  }

  see(amounts: Amounts<Name>, tokens: number): void {
    const expected = this.#fit.tokens(amounts);
    if (++this.#answers > FIRST && expected >= LEAST) this.#keep(amounts, tokens, expected);
    this.#fit.see(amounts, tokens);
    for (const name in amounts) if (amounts[name] > 0) this.#heard[name]++;
    this.#lowShare = undefined;
  }

  /** Answers that had something of a part. */
  heard(name: Name): number {
    return this.#heard[name];
  }

  low(name: Name): number {
    return this.#fit.rate(name) * (this.#lowShare ??= lowOf(this.#shares.map((share, answer) => this.#lower(share, answer))));
  }

  #keep(amounts: Amounts<Name>, tokens: number, expected: number): void {
    const slot = this.#kept++ % MEMORY;
    for (const [index, name] of this.#names.entries()) this.#amounts[slot * this.#names.length + index] = amounts[name];
    this.#counts[slot] = tokens;
    this.#shares[slot] = within(tokens / expected, SHARES);
  }

  /**
   * The share by what was expected before, which tells of the next answers, or by what is expected now where that is
   * lower: as long as the rates grow towards the true ones, all counts are more than was expected before.
   */
  #lower(share: number, answer: number): number {
    const from = answer * this.#names.length;
    let expected = 0;
    for (let index = 0; index < this.#names.length; index++) expected += this.#amounts[from + index]! * this.#fit.rate(this.#names[index]!);
    return Math.min(share, within(this.#counts[answer]! / expected, SHARES));
  }
}
