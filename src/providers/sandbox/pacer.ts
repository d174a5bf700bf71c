import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time in ms that the sandbox keeps the event loop to itself. */
const SLICE_MS = 2;

/** Lets the event loop run between slices of computing. One per answer; `breathe` is cheap enough for every token. */
export class Pacer {
  #sliceEnd = performance.now() + SLICE_MS;

  /** True when the slice is used up: `await breathe()` then. */
  get due(): boolean {
    return performance.now() >= this.#sliceEnd;
  }

  async breathe(): Promise<void> {
    await nextTurn();
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
