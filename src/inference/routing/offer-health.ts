import { type Clock, systemClock } from '../../common/time/clock.js';
import type { Config } from '../../config/config.schema.js';
import type { Usage } from '../../wire/usage.js';
import type { BreakerState } from './circuit-breaker.js';
import { ConcurrencyLimit } from './concurrency-limit.js';
import { IgnoredParameters } from './ignored-parameters.js';
import { OfferCircuit } from './offer-circuit.js';
import { RetryBudget } from './retry-budget.js';

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

/** What one process knows about one offer from its own attempts. */
export class OfferHealth {
  readonly circuit: OfferCircuit;
  readonly limit: ConcurrencyLimit;
  readonly ignored: IgnoredParameters;
  readonly #firstToken = new Average();
  readonly #throughput = new Average();
  readonly #output = new Average();
  readonly #cached = new Average();
  readonly #recent = new RecentTimes();
  #attempts = 0;

  /**
   * @param name `provider/model` in headers, metrics and records
   * @param budget of the retries at its provider, which all offers of that share
   */
  constructor(
    readonly name: string,
    { max_concurrency, max_queue }: Pick<Config['routing'], 'max_concurrency' | 'max_queue'>,
    onCircuit?: (state: BreakerState, account?: string) => void,
    readonly budget = new RetryBudget(),
    clock: Clock = systemClock,
  ) {
    this.circuit = new OfferCircuit(clock, onCircuit);
    this.ignored = new IgnoredParameters(clock);
    this.limit = new ConcurrencyLimit(max_concurrency, max_queue);
  }

  /** Number of attempts that have begun. */
  get attempts(): number {
    return this.#attempts;
  }

  /**
   * Called when an attempt of the account begins.
   * @returns as OfferCircuit.begin
   */
  begin(account: string): boolean {
    this.#attempts++;
    return this.circuit.begin(account);
  }

  /** Milliseconds to the first token; undefined before the first observation. */
  get firstTokenMs(): number | undefined {
    return this.#firstToken.value;
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

  /** Share of the prompts that its provider reads from a cache, 0 to 1, by the latest answers that it has counted. */
  get cachedShare(): number {
    return this.#cached.value ?? 0;
  }

  /** Output tokens of a choice; undefined before the first answer that its provider has counted. */
  get outputTokens(): number | undefined {
    return this.#output.value;
  }

  /** Milliseconds after which a first token is late: the 95th percentile of the last hundred. */
  get lateAfterMs(): number | undefined {
    return this.#recent.percentile(0.95);
  }

  /** Learns from what the provider has counted of one call with so many choices. */
  counted({ prompt_tokens, completion_tokens, prompt_tokens_details: details }: Usage, choices: number): void {
    this.#output.observe(completion_tokens / choices);
    if (prompt_tokens > 0) this.#cached.observe(Math.min(1, (details?.cached_tokens ?? 0) / prompt_tokens));
  }

  observe(firstTokenMs: number, totalMs: number, completionTokens: number): void {
    this.#firstToken.observe(firstTokenMs);
    this.#recent.observe(firstTokenMs);
    if (completionTokens > 1 && totalMs > 0) this.#throughput.observe((completionTokens * 1000) / totalMs);
  }
}
