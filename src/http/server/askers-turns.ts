import { ApiError } from '../../common/api-error.js';
import type { Clock } from '../../common/time/clock.js';
import { Bucket, type Rate } from '../../common/limits/gcra.js';
import type { Config } from '../../config/config.schema.js';

/** Askers at which those of whom nothing is counted any more are forgotten for the first time. */
const MAX_IDLE = 1_000;
const MINUTE_SECONDS = 60;

interface Asker {
  open: number;
  readonly minute: Bucket;
}

/**
 * What one token or person may ask of the administration API, at the same time and in a minute, in this process:
 * however much somebody reads, others find room.
 */
export class AskersTurns {
  readonly #askers = new Map<string, Asker>();
  #mostAskers = MAX_IDLE;

  constructor(
    private readonly limits: () => Pick<Config['limits'], 'administration_at_once' | 'administration_per_minute'>,
    private readonly clock: Clock,
  ) {}

  /** Askers of whom something is remembered. */
  get size(): number {
    return this.#askers.size;
  }

  /**
   * To be given back when the request has ended.
   * @throws ApiError 429 rate_limit_exceeded
   */
  take(name: string): void {
    const now = this.clock.monotonic();
    const { administration_at_once: atOnce, administration_per_minute: perMinute } = this.limits();
    const rate = { perMinute, burstSeconds: MINUTE_SECONDS };
    const asker = this.#askers.get(name) ?? this.#add(name, rate, now);
    if (perMinute !== asker.minute.rate.perMinute) asker.minute.change(rate, now);
    if (asker.open >= atOnce)
      throw new ApiError('rate_limit_exceeded', `You have ${asker.open} requests to the administration open, and may have ${atOnce}.`, {
        retryAfter: 1,
      });
    if (!asker.minute.take(1, now)) {
      const retryAfter = Math.max(1, Math.ceil(asker.minute.until(1, now) / 1_000));
      const message = `You have sent more than ${perMinute} requests to the administration in a minute. Please try again in ${retryAfter} s.`;
      throw new ApiError('rate_limit_exceeded', message, { retryAfter });
    }
    asker.open++;
  }

  give(name: string): void {
    this.#askers.get(name)!.open--;
  }

  #add(name: string, rate: Rate, now: number): Asker {
    if (this.#askers.size >= this.#mostAskers) this.#forgetIdle(now);
    const asker: Asker = { open: 0, minute: new Bucket(rate, now) };
    this.#askers.set(name, asker);
    return asker;
  }

  #forgetIdle(now: number): void {
    for (const [name, { open, minute }] of this.#askers) if (open === 0 && minute.untilFull(now) === 0) this.#askers.delete(name);
    // So that the next time is as far away as this one took work.
    this.#mostAskers = Math.max(MAX_IDLE, 2 * this.#askers.size);
  }
}
