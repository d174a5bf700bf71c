/** Who enters, and may have to wait for it. */
export interface QueuedCall {
  /** It is its turn: `release` must be called once. */
  begin(): void;
}

/** Calls of one offer at a time, the rest in a queue of bounded length. */
export class ConcurrencyLimit {
  readonly #queue = new Set<QueuedCall>();
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
   * Begins the call, at once or when it is its turn.
   * @returns false when there is no place
   */
  enter(call: QueuedCall): boolean {
    if (this.full) return false;
    if (this.#running < this.limit) {
      this.#running++;
      call.begin();
    } else this.#queue.add(call);
    return true;
  }

  /** Takes a call out of the queue that does not wait for its turn any more. */
  leave(call: QueuedCall): void {
    this.#queue.delete(call);
  }

  release(): void {
    if (this.#queue.size === 0) {
      this.#running--;
      return;
    }
    const [next] = this.#queue;
    this.#queue.delete(next!);
    next!.begin();
  }
}
