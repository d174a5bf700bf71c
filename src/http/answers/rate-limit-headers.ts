import type { OutgoingHttpHeaders } from 'node:http';
import type { RateLimits } from '../../common/limits/rate-limits.js';

/** Adds the headers `x-ratelimit-*` in the form of OpenAI, for the limits that there are. */
export function addRateLimitHeaders(headers: OutgoingHttpHeaders, { requests, tokens }: RateLimits): void {
  // Names that are put together would be looked up among all strings of the process for each response.
  if (requests) {
    headers['x-ratelimit-limit-requests'] = String(requests.limit);
    headers['x-ratelimit-remaining-requests'] = String(requests.remaining);
    headers['x-ratelimit-reset-requests'] = durationText(requests.resetMs);
  }
  if (tokens) {
    headers['x-ratelimit-limit-tokens'] = String(tokens.limit);
    headers['x-ratelimit-remaining-tokens'] = String(tokens.remaining);
    headers['x-ratelimit-reset-tokens'] = durationText(tokens.resetMs);
  }
}

/** A duration as OpenAI writes it: `12ms`, `1.5s`, `6m0s`, `1h0m0.25s`. */
function durationText(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${(ms % 60_000) / 1_000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
