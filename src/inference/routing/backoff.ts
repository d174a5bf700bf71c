/**
 * Milliseconds to wait before a retry: exponential with full jitter, and never less than the provider asked for.
 * @param retry number of the retry, 1 for the first
 */
export function backoff(retry: number, retryAfterMs = 0, random: () => number = Math.random, baseMs = 100, longestMs = 5_000): number {
  const ceiling = Math.min(longestMs, baseMs * 2 ** (retry - 1));
  return Math.max(retryAfterMs, Math.floor(random() * ceiling));
}
