/**
 * Back-pressure of one response: the client's socket sets it, and the provider obeys it (`Flow` in the provider
 * contract).
 */
export class Backpressure {
  #paused = false;
  #waiting: (() => void)[] = [];
  readonly #listeners = new Set<(paused: boolean) => void>();

  get paused(): boolean {
    return this.#paused;
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    for (const listener of this.#listeners) listener(true);
  }

  resume(): void {
    if (!this.#paused) return;
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
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
