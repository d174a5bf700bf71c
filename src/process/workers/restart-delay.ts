/** Milliseconds for which a worker must have lived for its end not to count as a failure to start. */
const LONG = 10_000;
const FIRST = 100;
const MOST = 10_000;

/** How long to wait before another worker takes the place of one that has ended by itself. */
export class RestartDelay {
  #quick = 0;

  /** @param lived milliseconds @returns milliseconds: doubled for each that ended soon after its start, at most ten seconds */
  after(lived: number): number {
    if (lived >= LONG) this.#quick = 0;
    return Math.min(MOST, FIRST * 2 ** this.#quick++);
  }
}
