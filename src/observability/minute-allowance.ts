import type { Clock } from '../common/time/clock.js';

/** How many at once, and in a minute. */
const BURST = 60;
const MINUTE_MS = 60_000;

/** Lets sixty through at once, and sixty a minute, and counts the others. */
export class MinuteAllowance {
  /** How many were left out since somebody last took note of them and set this to 0. */
  leftOut = 0;
  #kept = BURST;
  #filledAt: number;

  constructor(private readonly clock: Pick<Clock, 'now'>) {
    this.#filledAt = clock.now();
  }

  take(): boolean {
    const now = this.clock.now();
    this.#kept = Math.min(BURST, this.#kept + ((now - this.#filledAt) * BURST) / MINUTE_MS);
    this.#filledAt = now;
    if (this.#kept < 1) {
      this.leftOut++;
      return false;
    }
    this.#kept--;
    return true;
  }
}
