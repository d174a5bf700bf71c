/**
 * Levels are counted in parts of a unit (a request or a token), of which a rate of one unit a minute brings one a
 * millisecond. With times in whole milliseconds every sum is an integer, and exact below 2^53: at most 10^9 units a
 * minute in an hour's burst are 3.6 x 10^15 parts.
 */
export const PARTS = 60_000;

/** Of what is there, beside what is needed, one process gets this part at most. */
export const SPARE_PARTS = 8;

export interface Rate {
  /** Units, at most 10^9. */
  readonly perMinute: number;
  /** How many seconds' worth of units may come at once, at most 3,600. */
  readonly burstSeconds: number;
}

/** Parts in a full bucket: a unit at least, because the rate could otherwise admit nothing. */
export function capacityOf({ perMinute, burstSeconds }: Rate): number {
  return Math.max(PARTS, Math.floor(perMinute * burstSeconds * 1_000));
}

/**
 * The generic cell rate algorithm as a bucket that fills steadily: in any stretch of time it admits no more than its
 * capacity and what the rate brings in that time. The one exception is a take that is larger than the bucket. A full
 * one admits it and is then in debt, so that over longer times the rate holds all the same. Times are monotonic
 * milliseconds, of which whole ones count.
 */
export class Bucket {
  #rate: Rate;
  #capacity: number;
  #level: number;
  #at: number;

  /** A full one. */
  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#capacity = capacityOf(rate);
    this.#level = this.#capacity;
    this.#at = Math.floor(now);
  }

  get rate(): Rate {
    return this.#rate;
  }

  /** What is in it stays, as far as it fits. */
  change(rate: Rate, now: number): void {
    this.#fill(now);
    this.#rate = rate;
    this.#capacity = capacityOf(rate);
    this.#level = Math.min(this.#level, this.#capacity);
  }

  /** Whether `units` would be admitted. */
  has(units: number, now: number): boolean {
    this.#fill(now);
    return Math.min(units * PARTS, this.#capacity) <= this.#level;
  }

  /** @returns whether the units were admitted; if not, nothing has changed */
  take(units: number, now: number): boolean {
    if (!this.has(units, now)) return false;
    this.#level -= units * PARTS;
    return true;
  }

  /** Gives back of what was taken, up to a full bucket; a negative number takes more, whatever the level. */
  giveBack(units: number, now: number): void {
    this.#fill(now);
    this.#level = Math.min(this.#capacity, this.#level + units * PARTS);
  }

  /**
   * Takes what a process may use by itself: `need`, and up to `want` as far as that leaves the most to others; as much
   * as there is where it is less. Where `need` is larger than the bucket, all of it or nothing.
   * @returns units
   */
  lease(need: number, want: number, now: number): number {
    const units = this.#leasable(need, want, now);
    this.#level -= units * PARTS;
    return units;
  }

  #leasable(need: number, want: number, now: number): number {
    if (need * PARTS > this.#capacity) return this.has(need, now) ? need : 0;
    const there = this.remaining(now);
    return Math.min(there, Math.max(need, Math.min(want, Math.floor(there / SPARE_PARTS))));
  }

  /** Takes over a level, in parts, that was read elsewhere. */
  setLevel(parts: number, now: number): void {
    this.#at = Math.floor(now);
    this.#level = Math.min(this.#capacity, parts);
  }

  /** In parts; negative in debt. */
  level(now: number): number {
    this.#fill(now);
    return this.#level;
  }

  /**
   * Whole units.
   * @param beside units that are kept elsewhere and belong to the bucket
   */
  remaining(now: number, beside = 0): number {
    this.#fill(now);
    return Math.max(0, Math.floor(this.#level / PARTS) + beside);
  }

  /** Milliseconds until the bucket is full, if nothing is taken. @param beside as above */
  untilFull(now: number, beside = 0): number {
    this.#fill(now);
    return this.#untilLevel(this.#capacity - beside * PARTS);
  }

  /** Milliseconds until `units` are admitted, if nothing else is taken. */
  until(units: number, now: number): number {
    this.#fill(now);
    return this.#untilLevel(Math.min(units * PARTS, this.#capacity));
  }

  #untilLevel(parts: number): number {
    return Math.max(0, Math.ceil((parts - this.#level) / this.#rate.perMinute));
  }

  #fill(now: number): void {
    const elapsed = Math.floor(now) - this.#at;
    if (elapsed <= 0) return;
    this.#at += elapsed;
    const { perMinute } = this.#rate;
    // The product is exact where it is less than what is missing.
    this.#level = elapsed >= (this.#capacity - this.#level) / perMinute ? this.#capacity : this.#level + elapsed * perMinute;
  }
}
