import type { Clock } from './clock.js';

/** Milliseconds after which work is left whose signal has aborted. */
const GRACE_MS = 1_000;

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
