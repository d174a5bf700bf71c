/** Milliseconds that a worker must have lived for its end not to count as a failed start. */
const LONG = 10_000;
/** Milliseconds of the first delay. */
const FIRST = 100;
/** Milliseconds of the longest delay. */
const MOST = 10_000;

/** Decides how long to wait before a worker that has ended by itself is replaced. */
export class RestartDelay {
  #quick = 0;

  /**
   * @param lived milliseconds that the worker has lived
   * @returns milliseconds to wait: doubled with each worker in a row that ended soon after its start, at most ten
   * seconds
   */
  after(lived: number): number {
    if (lived >= LONG) this.#quick = 0;
    return Math.min(MOST, FIRST * 2 ** this.#quick++);
  }
}
