import type { Clock } from '../common/time/clock.js';
import { BUCKET_MS } from '../observability/performance-history.js';
import type { Performance } from '../wire/model.js';

/** The figures of a model that has had no traffic yet. */
const coldStart: Performance = { avg_response_time: 0, avg_tokens_per_second: 0, uptime_percentage: 100 };

/** How many buckets make up half an hour. */
const BUCKETS = 60;

/** One finished upstream call. */
export interface Attempt {
  /** False when the provider failed; a client's mistake or departure is not the provider's failure. */
  readonly ok: boolean;
  /** From the upstream call to its last chunk, in milliseconds. */
  readonly totalMs: number;
  /** From the upstream call to its first chunk, in milliseconds; only for streams. */
  readonly firstTokenMs?: number;
  readonly completionTokens: number;
}

/** Numbers of attempts, and sums over those that were served. */
export interface Totals {
  served: number;
  failed: number;
  totalMs: number;
  tokens: number;
  /** How many of the served attempts were streamed, and the sum of their first-token times. */
  streams: number;
  firstTokenMs: number;
}

/** The sums of one interval of 30 seconds. */
export interface Bucket extends Totals {
  /** The number of the interval since 1970; -1 for a bucket that is still empty. */
  epoch: number;
  /** Whether it has changed since it was last published. */
  changed: boolean;
}

export function noTotals(): Totals {
  return { served: 0, failed: 0, totalMs: 0, tokens: 0, streams: 0, firstTokenMs: 0 };
}

/** The last interval that is too old to count at a given time, in milliseconds since 1970. */
export function epochBefore(now: number): number {
  return Math.floor(now / BUCKET_MS) - BUCKETS;
}

/** A rolling half hour of one offer's traffic through this process, in buckets of 30 seconds. */
export class PerformanceWindow {
  readonly #buckets: Bucket[] = Array.from({ length: BUCKETS }, () => ({ ...noTotals(), epoch: -1, changed: false }));

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  record({ ok, totalMs, firstTokenMs, completionTokens }: Attempt): void {
    const epoch = Math.floor(this.clock.now() / BUCKET_MS);
    const bucket = this.#buckets[epoch % BUCKETS]!;
    if (bucket.epoch !== epoch) Object.assign(bucket, noTotals(), { epoch });
    bucket.changed = true;
    if (!ok) {
      bucket.failed++;
      return;
    }
    bucket.served++;
    bucket.totalMs += totalMs;
    bucket.tokens += completionTokens;
    if (firstTokenMs === undefined) return;
    bucket.streams++;
    bucket.firstTokenMs += firstTokenMs;
  }

  /** Yields the buckets that still count, and not copies of them. */
  *buckets(): Iterable<Bucket> {
    const before = epochBefore(this.clock.now());
    for (const bucket of this.#buckets) if (bucket.epoch > before) yield bucket;
  }
}

export function addTotals(sum: Totals, more: Totals): void {
  sum.served += more.served;
  sum.failed += more.failed;
  sum.totalMs += more.totalMs;
  sum.tokens += more.tokens;
  sum.streams += more.streams;
  sum.firstTokenMs += more.firstTokenMs;
}

/** Figures in seconds, tokens per second, and per cent of attempts that were served. */
export function performanceOf({ served, failed, totalMs, tokens }: Totals): Performance {
  if (served + failed === 0) return coldStart;
  return {
    avg_response_time: served ? round(totalMs / served) / 1000 : coldStart.avg_response_time,
    avg_tokens_per_second: totalMs > 0 ? round((tokens * 1000) / totalMs) : coldStart.avg_tokens_per_second,
    uptime_percentage: round((100 * served) / (served + failed)),
  };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
