import type { Clock } from '../common/time/clock.js';
import type { RateLimitState } from '../common/limits/rate-limits.js';
import { type Exchange, PLACES_TTL, type PlacesAnswer, type PlacesAsk } from './limit-store.js';
import type { Pool } from './pool.js';

/** Milliseconds after which the store is told again that places are in use. */
const RENEWAL = PLACES_TTL / 3;

/** Milliseconds for which this process believes to have places: less than the store does. */
const BELIEF = (PLACES_TTL * 2) / 3;

/** Milliseconds for which the store's refusal holds for all requests. */
const PAUSE = 50;

/**
 * Milliseconds that a request waits before it asks again, where others have places: a client that sends its next
 * request to another gateway is faster than the place that it has left.
 */
const AGAIN = 30;

/** Places are kept for the next request while at least this part of all is free. */
const PLENTY_PARTS = 2;

/** Places for open requests that several processes share. Each has those that it uses, for as long as it says so. */
export class LeasedPlaces implements Pool {
  readonly kind = 'concurrency';
  #used = 0;
  /** Places of this process. */
  #granted = 0;
  /** Places of others, by the last answer. */
  #others = 0;
  #waiting = 0;
  /** What the last question wanted at least. */
  #asked = 0;
  /** The most that were used at the same time in this second and in the one before. */
  #peak = 0;
  #peakBefore = 0;
  #believedUntil = 0;
  #renewAt = 0;
  #pausedUntil = 0;

  constructor(
    public limit: number,
    private readonly subject: string,
    private readonly exchange: Exchange<LeasedPlaces>,
    private readonly clock: Clock,
  ) {}

  change(limit: number): void {
    this.limit = limit;
  }

  has(_units: number, now: number): boolean {
    return this.#used < Math.min(this.#granted, this.limit) && now < this.#believedUntil;
  }

  take(): void {
    this.#used++;
    this.#peak = Math.max(this.#peak, this.#used);
  }

  giveBack(): void {
    this.#used--;
    this.#pausedUntil = 0;
    if (!this.#plenty) void this.exchange.ask(this);
  }

  ask(_units: number, now: number, round: number): Promise<void> | undefined {
    if (round === 0) return now < this.#pausedUntil ? undefined : this.#ask();
    return this.#others === 0 ? undefined : this.clock.delay(AGAIN * round).then(() => this.#ask());
  }

  state(): RateLimitState {
    return { limit: this.limit, remaining: Math.max(0, this.limit - this.#others - this.#used), resetMs: 0 };
  }

  until(): undefined {
    return undefined;
  }

  idle(): boolean {
    return this.#used === 0 && this.#granted === 0 && this.#waiting === 0;
  }

  /** What is to be asked of the store now. */
  question(): PlacesAsk {
    this.#asked = Math.min(this.limit, this.#used + this.#waiting);
    this.#waiting = 0;
    const kept = this.#plenty ? Math.min(this.#granted, Math.max(this.#peak, this.#peakBefore)) : 0;
    const wanted = Math.max(this.#used, this.#asked, kept);
    // From here on another process may have the others.
    this.#granted = Math.min(this.#granted, wanted);
    return { subject: this.subject, limit: this.limit, used: this.#used, wanted };
  }

  /** @param at when it was asked */
  answered({ granted, others }: PlacesAnswer, now: number, at: number): void {
    this.#granted = granted;
    this.#others = others;
    this.#believedUntil = at + BELIEF;
    this.#renewAt = at + RENEWAL;
    this.#pausedUntil = granted < this.#asked ? now + PAUSE : 0;
  }

  /** The store does not answer: others are expected to have what they had. */
  unanswered({ limit, wanted, used }: PlacesAsk, now: number): void {
    this.answered({ granted: Math.max(used, Math.min(wanted, limit - this.#others)), others: this.#others }, now, now);
  }

  /** A second has passed. @returns whether the store is to be told */
  tick(now: number): boolean {
    this.#peakBefore = this.#peak;
    this.#peak = this.#used;
    return this.#granted > Math.max(this.#peak, this.#peakBefore) || (this.#granted > 0 && now >= this.#renewAt);
  }

  /** The process ends: what is not used goes back. */
  close(): boolean {
    this.#peak = this.#peakBefore = this.#used;
    return this.#granted > this.#used;
  }

  get #plenty(): boolean {
    return (this.limit - this.#others - this.#granted) * PLENTY_PARTS >= this.limit;
  }

  #ask(): Promise<void> {
    this.#waiting++;
    return this.exchange.ask(this);
  }
}
