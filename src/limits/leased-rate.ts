import type { RateLimitState } from '../common/limits/rate-limits.js';
import { Bucket, capacityOf, PARTS, type Rate } from '../common/limits/gcra.js';
import type { BucketAnswer, BucketAsk, Exchange } from './limit-store.js';
import type { Pool } from './pool.js';

/** Milliseconds for which the store's refusal holds for all requests that would need more than is expected there. */
const PAUSE = 100;

/** Milliseconds between two refills ahead of need. */
const REFILL_INTERVAL = 100;

/** A refill is asked for below this part of a second's demand. */
const REFILL_PARTS = 4;

/**
 * A rate that several processes count in one bucket of the store. Each takes about a second's demand of it in advance,
 * and gives back what it has not used within a second: all of them together never admit more than the bucket.
 */
export class LeasedRate implements Pool {
  /** The store's bucket as it is expected to be. */
  readonly #mirror: Bucket;
  /** Units of this process; negative where more was used. */
  #free = 0;
  /** Of the requests that wait. */
  #needs: number[] = [];
  /** What the last question needed. */
  #asked = 0;
  /** Units that were taken and not given back in this second and in the one before. */
  #taken = 0;
  #takenBefore = 0;
  /** Requests that will give back. */
  #open = 0;
  #pausedUntil = 0;
  #refillAt = 0;

  constructor(
    readonly kind: 'requests' | 'tokens',
    private readonly subject: string,
    rate: Rate,
    now: number,
    private readonly exchange: Exchange<LeasedRate>,
  ) {
    this.#mirror = new Bucket(rate, now);
  }

  get limit(): number {
    return this.#mirror.rate.perMinute;
  }

  change(perMinute: number, burstSeconds: number, now: number): void {
    const { rate } = this.#mirror;
    if (perMinute !== rate.perMinute || burstSeconds !== rate.burstSeconds) this.#mirror.change({ perMinute, burstSeconds }, now);
  }

  has(units: number): boolean {
    return units <= this.#free;
  }

  take(units: number, now: number): void {
    this.#free -= units;
    this.#taken += units;
    if (this.kind === 'tokens') this.#open++;
    if (this.#free * REFILL_PARTS >= this.#takenBefore || now < this.#refillAt) return;
    this.#refillAt = now + REFILL_INTERVAL;
    void this.exchange.ask(this);
  }

  giveBack(units: number): void {
    this.#free += units;
    this.#taken = Math.max(0, this.#taken - units);
    this.#open--;
  }

  ask(units: number, now: number): Promise<void> | undefined {
    if (now < this.#pausedUntil && !this.#mirror.has(units - Math.max(0, this.#free), now)) return undefined;
    this.#needs.push(units);
    return this.exchange.ask(this);
  }

  state(now: number): RateLimitState {
    return { limit: this.limit, remaining: this.#mirror.remaining(now, this.#free), resetMs: this.#mirror.untilFull(now, this.#free) };
  }

  /** What this process has is not counted on: another one may be asked next. */
  until(units: number, now: number): number {
    return this.#mirror.until(units, now);
  }

  idle(): boolean {
    return this.#open === 0 && this.#free === 0 && this.#taken === 0 && this.#needs.length === 0;
  }

  /** What is to be asked of the store now. */
  question(): BucketAsk {
    const { rate } = this.#mirror;
    const most = Math.floor(capacityOf(rate) / PARTS);
    const [first = 0] = this.#needs;
    const sum = this.#needs.reduce((all, units) => all + units, 0);
    this.#needs = [];
    // A request that is larger than the bucket needs all that belongs into it to be there.
    const all = first > most || this.#free < 0;
    const back = all ? this.#free : this.#surplus();
    this.#free -= back;
    this.#asked = first > most ? first : Math.max(0, Math.min(sum, most) - this.#free);
    const want = Math.max(0, this.#demand - this.#free);
    return { subject: this.subject, kind: this.kind, rate, need: this.#asked, want, back };
  }

  answered({ granted, level }: BucketAnswer, now: number): void {
    this.#free += granted;
    this.#mirror.setLevel(level, now);
    this.#pausedUntil = granted < this.#asked ? now + PAUSE : 0;
  }

  /** The store does not answer: what it was asked for is taken from what is expected to be there. */
  unanswered({ need, want, back }: BucketAsk, now: number): void {
    this.#mirror.giveBack(back, now);
    this.#free += this.#mirror.lease(need, want, now);
    this.#pausedUntil = 0;
  }

  /** A second has passed. @returns whether the store is to be told */
  tick(): boolean {
    this.#takenBefore = this.#taken;
    this.#taken = 0;
    return this.#free < 0 || this.#surplus() > 0;
  }

  /** The process ends: all goes back. */
  close(): boolean {
    this.#taken = this.#takenBefore = 0;
    return this.#free !== 0;
  }

  get #demand(): number {
    return Math.max(this.#taken, this.#takenBefore);
  }

  #surplus(): number {
    return Math.max(0, this.#free - this.#demand);
  }
}
