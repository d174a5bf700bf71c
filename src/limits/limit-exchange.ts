import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Clock } from '../common/time/clock.js';
import type { Distribution } from '../observability/series.js';
import { LeasedPlaces } from './leased-places.js';
import { LeasedRate } from './leased-rate.js';
import type { BucketAnswer, BucketAsk, LimitStore, PlacesAnswer, PlacesAsk } from './limit-store.js';

type Leased = LeasedRate | LeasedPlaces;

/** Milliseconds that requests wait for the store. Then it counts as away until it has answered. */
const PATIENCE = 1_000;

/**
 * Asks the store for all pools of the process: one question is under way at a time, and has all that was asked while
 * the one before it was. Where the store does not answer, each process goes on with what it expects to be there, so
 * that a store that is away refuses nobody, and a limit may be exceeded by each process.
 */
export class LimitExchange {
  readonly #logger = new Logger('Limits');
  readonly #asking = new Set<Leased>();
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #away = false;
  /** The store has not answered the last question. */
  #pending = false;

  constructor(
    private readonly store: LimitStore,
    private readonly durations: Pick<Distribution, 'observe'>,
    private readonly clock: Clock,
  ) {}

  /** Resolves when a question has been answered in which the pool's is, or when the store is away. Never rejects. */
  ask(pool: Leased): Promise<void> {
    if (this.#away) {
      this.#alone(pool);
      return Promise.resolve();
    }
    this.#asking.add(pool);
    return this.#flush();
  }

  /** Tells the store what has changed in a second, and finds out whether it is there again. */
  tick(pools: Iterable<Leased>, now: number): void {
    for (const pool of pools) if (pool.tick(now)) this.#asking.add(pool);
    if (this.#asking.size > 0) void this.#flush();
  }

  /** Gives back all that is not used. */
  async close(pools: Iterable<Leased>): Promise<void> {
    for (const pool of pools) if (pool.close()) this.#asking.add(pool);
    if (this.#asking.size > 0) await this.#flush();
  }

  /** Deletes what the store does not need any more. */
  async sweep(): Promise<void> {
    if (this.#away) return;
    await this.store.sweep().catch((error: Error) => this.#logger.warn(`Old limits were not deleted: ${error.message}`));
  }

  #flush(): Promise<void> {
    // Those whom the answer before has served take what is theirs before the next question gives back what is unused.
    this.#next ??= this.#running
      .then(() => nextTurn())
      .then(() => {
        this.#next = undefined;
        this.#running = this.#trip();
        return this.#running;
      });
    return this.#next;
  }

  async #trip(): Promise<void> {
    // A store that is away is asked again when it has answered, or failed.
    if (this.#pending) return;
    const pools = [...this.#asking];
    this.#asking.clear();
    const at = this.clock.monotonic();
    const rates = pools.filter((pool) => pool instanceof LeasedRate).map((pool) => ({ pool, ask: pool.question() }));
    const places = pools.filter((pool) => pool instanceof LeasedPlaces).map((pool) => ({ pool, ask: pool.question() }));
    const answers = await this.#answers(
      rates.map(({ ask }) => ask),
      places.map(({ ask }) => ask),
    );
    const now = this.clock.monotonic();
    if (answers) this.durations.observe((now - at) / 1_000);
    rates.forEach(({ pool, ask }, index) => (answers ? pool.answered(answers[0][index]!, now) : pool.unanswered(ask, now)));
    places.forEach(({ pool, ask }, index) => (answers ? pool.answered(answers[1][index]!, now, at) : pool.unanswered(ask, now)));
  }

  /** @returns undefined where the store is away; what it says later is ignored, because it was acted for meanwhile */
  async #answers(buckets: readonly BucketAsk[], places: readonly PlacesAsk[]): Promise<Answers | undefined> {
    const asking = Promise.all([buckets.length > 0 ? this.store.buckets(buckets) : [], places.length > 0 ? this.store.places(places) : []]);
    this.#pending = true;
    const answered = asking.then(
      (answers) => {
        this.#there();
        return answers;
      },
      (error: Error) => this.#noAnswer(error.message),
    );
    void answered.finally(() => (this.#pending = false));
    const waited = new AbortController();
    const late = this.clock.delay(PATIENCE, { signal: waited.signal, ref: false }).then(
      () => this.#noAnswer(`no answer within ${PATIENCE} ms`),
      () => undefined,
    );
    try {
      return await Promise.race([answered, late]);
    } finally {
      waited.abort();
    }
  }

  #there(): void {
    if (this.#away) this.#logger.log('Limits are counted together with other processes again');
    this.#away = false;
  }

  #noAnswer(problem: string): undefined {
    if (!this.#away) this.#logger.warn(`Limits are counted by this process alone, because their store does not answer: ${problem}`);
    this.#away = true;
    return undefined;
  }

  #alone(pool: Leased): void {
    // The next tick finds out whether the store is there again.
    this.#asking.add(pool);
    const now = this.clock.monotonic();
    if (pool instanceof LeasedRate) pool.unanswered(pool.question(), now);
    else pool.unanswered(pool.question(), now);
  }
}

type Answers = [BucketAnswer[], PlacesAnswer[]];
