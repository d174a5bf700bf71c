import { type BreakerSettings, type BreakerState, CircuitBreaker } from './circuit-breaker.js';
import { ConcurrencyLimit } from './concurrency-limit.js';

/** Weight of a new observation against all earlier ones: about the last ten count. */
const ALPHA = 0.2;

/** An exponentially weighted average that begins with its first observation. */
class Average {
  #value: number | undefined;

  get value(): number | undefined {
    return this.#value;
  }

  observe(value: number): void {
    this.#value = this.#value === undefined ? value : this.#value + ALPHA * (value - this.#value);
  }
}

/** First-token times of the last hundred attempts, for the hedging delay. */
class RecentTimes {
  readonly #times: number[] = [];
  #next = 0;

  observe(ms: number): void {
    this.#times[this.#next] = ms;
    this.#next = (this.#next + 1) % 100;
  }

  /** Undefined below 20 observations, which are too few to tell what is slow. */
  percentile(share: number): number | undefined {
    if (this.#times.length < 20) return undefined;
    const sorted = this.#times.toSorted((a, b) => a - b);
    return sorted[Math.floor(share * (sorted.length - 1))];
  }
}

export interface OfferLimits {
  readonly concurrency: number;
  readonly queue: number;
}

/** What one process knows about one offer from its own attempts. */
export class OfferHealth {
  readonly breaker: CircuitBreaker;
  readonly limit: ConcurrencyLimit;
  readonly #firstToken = new Average();
  readonly #throughput = new Average();
  readonly #recent = new RecentTimes();
  #attempts = 0;

  /** @param name `provider/model` in headers, metrics and records */
  constructor(
    readonly name: string,
    breaker: BreakerSettings,
    limits: OfferLimits,
    now?: () => number,
    onBreaker?: (state: BreakerState) => void,
  ) {
    this.breaker = new CircuitBreaker(breaker, now, onBreaker);
    this.limit = new ConcurrencyLimit(limits.concurrency, limits.queue);
  }

  /** Number of attempts that have begun. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Called when an attempt begins. */
  begin(): void {
    this.#attempts++;
    this.breaker.begin();
  }

  /**
   * Milliseconds to the first token, times one plus the number of queued calls; undefined before the first observation.
   */
  get latency(): number | undefined {
    const { value } = this.#firstToken;
    return value === undefined ? undefined : value * (1 + this.limit.queued);
  }

  /** Tokens a second of one stream; undefined before the first observation. */
  get throughput(): number | undefined {
    return this.#throughput.value;
  }

  /** Milliseconds after which a first token is late: the 95th percentile of the last hundred. */
  get lateAfterMs(): number | undefined {
    return this.#recent.percentile(0.95);
  }

  observe(firstTokenMs: number, totalMs: number, completionTokens: number): void {
    this.#firstToken.observe(firstTokenMs);
    this.#recent.observe(firstTokenMs);
    if (completionTokens > 1 && totalMs > 0) this.#throughput.observe((completionTokens * 1000) / totalMs);
  }
}
