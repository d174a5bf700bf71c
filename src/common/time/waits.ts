import type { Clock, Timer } from './clock.js';

/** Milliseconds after which work is left whose signal has aborted. */
const GRACE_MS = 1_000;

/** Waits for `work`, but no longer than `ms` milliseconds. Rejects if `work` rejects in that time. */
export async function waitAtMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => (timer = clock.setTimeout(resolve, ms)));
  await Promise.race([work, late]).finally(() => clock.clear(timer));
}

/**
 * The result of `work`, if it comes in time.
 * @throws Error (rejects) that says that it has not ended within `ms` milliseconds
 */
export function timeLimited<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = clock.setTimeout(() => late.reject(new Error(`it has not ended within ${ms / 1_000} s`)), ms);
  return Promise.race([work, late.promise]).finally(() => clock.clear(timer));
}

/**
 * The result of work that is to end soon after its signal aborts. Code of a module may not heed it.
 * @throws Error (rejects) where it has not ended, and what the work rejects with
 */
export async function untilAborted<T>(clock: Clock, signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const end = (): void => late.reject(new Error(`it has not ended within ${GRACE_MS / 1_000} s after its signal aborted`));
  const onAbort = (): void => void clock.setTimeout(end, GRACE_MS).unref();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
