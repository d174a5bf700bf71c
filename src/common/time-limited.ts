import type { Clock } from './clock.js';

/**
 * The result of `work`, if it comes in time.
 * @throws Error (rejects) that says that it has not ended within `ms` milliseconds
 */
export function timeLimited<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = clock.setTimeout(() => late.reject(new Error(`it has not ended within ${ms / 1_000} s`)), ms);
  return Promise.race([work, late.promise]).finally(() => clock.clear(timer));
}
