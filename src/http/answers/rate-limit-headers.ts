import type { OutgoingHttpHeaders } from 'node:http';
import type { RateLimits, RateLimitState } from '../../common/rate-limits.js';

/** Adds the headers `x-ratelimit-*` in the form of OpenAI, for the limits that there are. */
export function addRateLimitHeaders(headers: OutgoingHttpHeaders, { requests, tokens }: RateLimits): void {
  if (requests) add(headers, 'requests', requests);
  if (tokens) add(headers, 'tokens', tokens);
}

function add(headers: OutgoingHttpHeaders, name: string, { limit, remaining, resetMs }: RateLimitState): void {
  headers[`x-ratelimit-limit-${name}`] = String(limit);
  headers[`x-ratelimit-remaining-${name}`] = String(remaining);
  headers[`x-ratelimit-reset-${name}`] = durationText(resetMs);
}

/** A duration as OpenAI writes it: `12ms`, `1.5s`, `6m0s`, `1h0m0.25s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${(ms % 60_000) / 1_000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
