/** A call that may have to wait for its turn. */
export interface QueuedCall {
  /** Called when it is its turn. `release` must then be called once. */
  begin(): void;
}

/** Limits the concurrent calls of one offer. Further calls wait in a queue of bounded length. */
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

  /** True where a further call could neither run at once nor wait. */
  get full(): boolean {
    return this.#running >= this.limit && this.#queue.size >= this.longestQueue;
  }

  /**
   * Begins the call, at once or when it is its turn.
   * @returns false where the queue is full
   */
  enter(call: QueuedCall): boolean {
    if (this.full) return false;
    if (this.#running < this.limit) {
      this.#running++;
      call.begin();
    } else this.#queue.add(call);
    return true;
  }

  /** Removes a call from the queue. */
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
