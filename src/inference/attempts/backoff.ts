/** Milliseconds of the first wait at most; it doubles with each retry, up to the longest. */
const FIRST = 100;
const LONGEST = 5_000;

/**
 * Milliseconds to wait before a retry: exponential with full jitter, and never less than the provider asked for.
 * @param retry number of the retry, 1 for the first
 */
export function backoff(retry: number, retryAfterMs = 0, random: () => number = Math.random): number {
  const ceiling = Math.min(LONGEST, FIRST * 2 ** (retry - 1));
  return Math.max(retryAfterMs, Math.floor(random() * ceiling));
}
