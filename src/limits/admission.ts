import type { Clock } from '../common/time/clock.js';
import type { Pool } from './pool.js';

/** A request that its limits have let in. */
export class Admission {
  #open = true;

  /** @param tokens the most that it can use, which was taken */
  constructor(
    private readonly pools: readonly Pool[],
    private readonly tokens: number,
    private readonly clock: Clock,
  ) {}

  /**
   * The request has ended. Its place is free, and tokens that it has not used are given back; the request itself stays
   * counted. The first call counts.
   * @param used tokens that were counted
   */
  settle(used: number): void {
    if (!this.#open) return;
    this.#open = false;
    const now = this.clock.monotonic();
    for (const pool of this.pools) {
      if (pool.kind === 'tokens') pool.giveBack(this.tokens - used, now);
      else if (pool.kind === 'concurrency') pool.giveBack(1, now);
    }
  }
}
