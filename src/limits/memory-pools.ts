import type { RateLimitState } from '../common/limits/rate-limits.js';
import { Bucket, type Rate } from '../common/limits/gcra.js';
import type { MakePool, Pool } from './pool.js';

/** A rate that this process alone counts. */
class MemoryRate implements Pool {
  readonly #bucket: Bucket;
  /** Requests that will give back. */
  #open = 0;

  constructor(
    readonly kind: 'requests' | 'tokens',
    rate: Rate,
    now: number,
  ) {
    this.#bucket = new Bucket(rate, now);
  }

  get limit(): number {
    return this.#bucket.rate.perMinute;
  }

  change(perMinute: number, burstSeconds: number, now: number): void {
    const { rate } = this.#bucket;
    if (perMinute !== rate.perMinute || burstSeconds !== rate.burstSeconds) this.#bucket.change({ perMinute, burstSeconds }, now);
  }

  has(units: number, now: number): boolean {
    return this.#bucket.has(units, now);
  }

  take(units: number, now: number): void {
    this.#bucket.take(units, now);
    if (this.kind === 'tokens') this.#open++;
  }

  giveBack(units: number, now: number): void {
    this.#bucket.giveBack(units, now);
    this.#open--;
  }

  ask(): undefined {
    return undefined;
  }

  state(now: number): RateLimitState {
    return { limit: this.limit, remaining: this.#bucket.remaining(now), resetMs: this.#bucket.untilFull(now) };
  }

  until(units: number, now: number): number {
    return this.#bucket.until(units, now);
  }

  idle(now: number): boolean {
    return this.#open === 0 && this.#bucket.untilFull(now) === 0;
  }
}

/** Places for requests that are answered at the same time, where this process answers all of them. */
class MemoryPlaces implements Pool {
  readonly kind = 'concurrency';
  #used = 0;

  constructor(public limit: number) {}

  change(limit: number): void {
    this.limit = limit;
  }

  has(): boolean {
    return this.#used < this.limit;
  }

  take(): void {
    this.#used++;
  }

  giveBack(): void {
    this.#used--;
  }

  ask(): undefined {
    return undefined;
  }

  state(): RateLimitState {
    return { limit: this.limit, remaining: Math.max(0, this.limit - this.#used), resetMs: 0 };
  }

  until(): undefined {
    return undefined;
  }

  idle(): boolean {
    return this.#used === 0;
  }
}

/** Pools of a process that answers all requests of the store's keys. */
export const memoryPools: MakePool = (kind, { burstSeconds }, limit, now) =>
  kind === 'concurrency' ? new MemoryPlaces(limit) : new MemoryRate(kind, { perMinute: limit, burstSeconds }, now);
