import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest time in milliseconds that the sandbox keeps the event loop to itself. */
const SLICE_MS = 2;

/**
 * Lets the event loop run between slices of computing. Each response has its own pacer, which is cheap enough to ask
 * for every token.
 */
export class Pacer {
  #sliceEnd = performance.now() + SLICE_MS;

  /** Whether the slice is used up, so that the caller should `await yieldToEventLoop()`. */
  get due(): boolean {
    return performance.now() >= this.#sliceEnd;
  }

  async yieldToEventLoop(): Promise<void> {
    await nextTurn();
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
