import { type Clock, systemClock } from '../../common/time/clock.js';

/**
 * Back-pressure of one response: the client's socket sets it, and the provider obeys it (`Flow` in the provider
 * contract).
 */
export class Backpressure {
  #paused = false;
  #pausedAt = 0;
  #pausedMs = 0;
  /** The source has sent on in spite of the pause: more has come than may wait in memory. */
  overrun = false;
  #waiting: (() => void)[] = [];
  #listeners: readonly ((paused: boolean) => void)[] = [];

  constructor(readonly clock: Clock = systemClock) {}

  get paused(): boolean {
    return this.#paused;
  }

  /** Milliseconds for which the client has held the source back, in all. */
  get pausedMs(): number {
    return this.#paused ? this.#pausedMs + this.clock.monotonic() - this.#pausedAt : this.#pausedMs;
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#pausedAt = this.clock.monotonic();
    for (const listener of this.#listeners) listener(true);
  }

  resume(): void {
    if (!this.#paused) return;
    this.#pausedMs = this.pausedMs;
    this.#paused = false;
    for (const listener of this.#listeners) listener(false);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when the client has caught up, at once where it is not behind. Never rejects. */
  ready(): Promise<void> {
    return this.#paused ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }

  /** @returns a function that removes the listener */
  onChange(listener: (paused: boolean) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => (this.#listeners = this.#listeners.filter((other) => other !== listener));
  }
}
