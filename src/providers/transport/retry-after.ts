/** Milliseconds to wait at most, whatever a provider asks for: a day. */
export const MAX_RETRY_AFTER = 86_400_000;

/**
 * The time in milliseconds that a provider asks to wait: `retry-after-ms`, or `retry-after` in seconds or as an HTTP
 * date (RFC 9110, 10.2.3). At most a day.
 * @returns undefined where the provider does not say, or says something else
 */
export function retryAfterMs(headers: Readonly<Record<string, unknown>>, now = Date.now()): number | undefined {
  const exact = Number(text(headers['retry-after-ms']));
  if (Number.isFinite(exact)) return bounded(exact);
  const value = text(headers['retry-after']);
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return bounded(seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : bounded(date - now);
}

/** Never empty, because `Number('')` is 0. */
function text(header: unknown): string {
  return (typeof header === 'string' && header.trim()) || 'absent';
}

function bounded(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER);
}
