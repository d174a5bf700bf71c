import type { Clock, Timer } from './clock.js';

/** Waits for `work`, but no longer than `ms` milliseconds. Rejects if `work` rejects in that time. */
export async function waitAtMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => (timer = clock.setTimeout(resolve, ms)));
  await Promise.race([work, late]).finally(() => clock.clear(timer));
}
