import type { Clock } from '../../common/time/clock.js';
import { BoundedMap } from '../bounded-map.js';

/** How long, in milliseconds, an offer is not asked again for what it has ignored. */
const FOR_MS = 600_000;
/** What is remembered at most. Of more, the oldest is forgotten. */
const MAX_REMEMBERED = 1_000;

/**
 * The parameters that an offer has ignored, by account: an answer without what was asked for is worth nothing to the
 * client and costs the house, so that the offer is not asked the same again. It is not held against other accounts,
 * because something else in a request may have been the reason.
 */
export class IgnoredParameters {
  readonly #until = new BoundedMap<string, number>(MAX_REMEMBERED);

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  add(account: string, parameter: string): void {
    const key = keyOf(account, parameter);
    this.#until.delete(key);
    this.#until.set(key, this.clock.now() + FOR_MS);
  }

  has(account: string, parameter: string): boolean {
    return this.#until.size > 0 && (this.#until.get(keyOf(account, parameter)) ?? 0) > this.clock.now();
  }
}

function keyOf(account: string, parameter: string): string {
  return `${account} ${parameter}`;
}
