interface Queue {
  running: number;
  readonly waiting: (() => void)[];
}

/** Has work done for many, and for each of them little at the same time: what else they ask for waits its turn. */
export class KeyedTurns {
  readonly #queues = new Map<string, Queue>();

  /**
   * @param atOnce of one key
   * @param waiting of one key; what goes beyond is refused
   * @param refusal what is thrown then
   */
  constructor(
    private readonly atOnce: number,
    private readonly waiting: number,
    private readonly refusal: () => Error,
  ) {}

  /** @throws the refusal, or what `work` throws */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    let queue = this.#queues.get(key);
    if (!queue) this.#queues.set(key, (queue = { running: 0, waiting: [] }));
    const { waiting } = queue;
    if (queue.running < this.atOnce) queue.running++;
    else if (waiting.length >= this.waiting) throw this.refusal();
    // The place is handed on as it is.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else if (--queue.running === 0) this.#queues.delete(key);
    }
  }
}
