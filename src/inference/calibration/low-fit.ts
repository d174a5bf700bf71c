import { type Amounts, LinearFit, type Part, within } from './linear-fit.js';
import { LowEstimate } from './low-estimate.js';

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
  readonly #share = new LowEstimate();
  readonly #heard: Record<Name, number>;
  #answers = 0;

  constructor(parts: Readonly<Record<Name, Part>>) {
    this.#fit = new LinearFit(parts);
    this.#heard = Object.fromEntries(Object.keys(parts).map((name) => [name, 0])) as Record<Name, number>;
  }

  see(amounts: Amounts<Name>, tokens: number): void {
    const expected = this.#fit.tokens(amounts);
    if (++this.#answers > FIRST && expected >= LEAST) this.#share.see(within(tokens / expected, SHARES));
    this.#fit.see(amounts, tokens);
    for (const name in amounts) if (amounts[name] > 0) this.#heard[name]++;
  }

  /** Answers that had something of a part. */
  heard(name: Name): number {
    return this.#heard[name];
  }

  low(name: Name): number {
    return this.#fit.rate(name) * this.#share.low;
  }
}
