/** Values that are remembered, the last ones. */
export const MEMORY = 64;

/** Share of values that are to be below the estimate. */
const BELOW = 0.05;

/**
 * A value that 19 in 20 of the next ones are above, however they are distributed: a quantile of those that were seen
 * last. Of fewer than 20 it is the lowest one, which one in as many as were seen is below.
 */
export class LowEstimate {
  readonly #last: number[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  see(value: number): void {
    this.#last[this.#count++ % MEMORY] = value;
  }

  /** 0 before any value was seen. */
  get low(): number {
    return lowOf(this.#last);
  }
}

/** The value that one in 20 of the given ones is below; of fewer the lowest one, and 0 of none. */
export function lowOf(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const rank = Math.max(0, BELOW * (sorted.length + 1) - 1);
  const [lower = 0, upper = lower] = sorted.subarray(Math.floor(rank));
  return lower + (rank % 1) * (upper - lower);
}
