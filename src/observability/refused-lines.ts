import type { Clock } from '../common/time/clock.js';
import { MinuteAllowance } from './minute-allowance.js';

/** Keys whose refusals are remembered; of more, those that were first refused longest ago begin anew. */
const MAX_KEYS = 10_000;

/**
 * Which requests with a valid key leave a line in the log: each, but of those that were refused sixty a minute for each
 * key. Whoever repeats a wrong request in a loop so does not fill the log. The records are not sampled.
 */
export class RefusedLines {
  readonly #keys = new Map<string, MinuteAllowance>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /**
   * @param refused whether the status is 4xx
   * @returns how many lines of the key were left out since its last one; undefined where this one is left out, too
   */
  take(key: string, refused: boolean): number | undefined {
    let allowance = this.#keys.get(key);
    if (!refused && !allowance) return 0;
    if (!allowance) {
      if (this.#keys.size >= MAX_KEYS) this.#keys.delete(this.#keys.keys().next().value!);
      this.#keys.set(key, (allowance = new MinuteAllowance(this.clock)));
    }
    if (refused && !allowance.take()) return undefined;
    const { leftOut } = allowance;
    allowance.leftOut = 0;
    return leftOut;
  }
}
