/** Calls of one offer at a time, the rest in a queue of bounded length. */
export class ConcurrencyLimit {
  readonly #queue = new Set<() => void>();
  #running = 0;

  constructor(
    private readonly limit: number,
    private readonly longestQueue: number,
  ) {}

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** True when a call would neither run at once nor find a place to wait. */
  get full(): boolean {
    return this.#running >= this.limit && this.#queue.size >= this.longestQueue;
  }

  /**
   * Calls back, at once or later, when the call may run; `release` must then be called once.
   * @returns leaves the queue when called before its turn; undefined when there is no place
   */
  enter(begin: () => void): (() => void) | undefined {
    if (this.#running < this.limit) {
      this.#running++;
      begin();
      return () => undefined;
    }
    if (this.#queue.size >= this.longestQueue) return undefined;
    const turn = (): void => begin();
    this.#queue.add(turn);
    return () => this.#queue.delete(turn);
  }

  release(): void {
    const [next] = this.#queue;
    if (!next) {
      this.#running--;
      return;
    }
    this.#queue.delete(next);
    next();
  }
}
