import type { Unsubscribable } from 'rxjs';
import type { AttemptRecord } from '../../common/generation-record.js';
import type { Config } from '../../config/config.schema.js';
import { ProviderError } from '../../providers/provider-error.js';
import { backoff } from './backoff.js';
import { type FallbackHandler, type AttemptHandler, FallbackAttempt } from './fallback-attempt.js';
import type { Candidate } from './strategy.js';

/** `retries` are the rounds over the candidates after the first; a provider's `retry-after` beyond `max_retry_wait` is not waited for. */
export type FallbackSettings = Pick<Config['routing'], 'retries' | 'max_retry_wait' | 'hedge'>;

/**
 * Asks one candidate after the other until a first chunk comes; from then on that one answers or the answer fails. Whether another is tried follows
 * from the error's kind alone. Unsubscribing leaves queues, timers and attempts at once.
 */
export class Fallback<C extends Candidate> implements AttemptHandler<C>, Unsubscribable {
  /** Of this round. */
  #attempts: FallbackAttempt<C>[] = [];
  #answering = false;
  /** Not the first attempt any more. */
  #asked: boolean;
  #next = 0;
  #round = 0;
  /** Open circuits are asked as well. */
  #force = false;
  #worst: ProviderError | undefined;
  #queueFull = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param retry the first attempt too is a further one, to be paid from its provider's budget */
  constructor(
    readonly asker: FallbackHandler<C>,
    private readonly candidates: readonly C[],
    private readonly settings: FallbackSettings,
    retry: boolean,
  ) {
    this.#asked = retry;
  }

  begin(): void {
    this.#advance();
  }

  unsubscribe(): void {
    clearTimeout(this.#timer);
    for (const attempt of this.#attempts) attempt.leave('client_left');
  }

  answers(attempt: FallbackAttempt<C>): void {
    this.#answering = true;
    clearTimeout(this.#timer);
    for (const other of this.#attempts) if (other !== attempt) other.leave('lost_hedge');
    this.asker.served(attempt.candidate);
  }

  complete(): void {
    this.unsubscribe();
    this.asker.complete();
  }

  failed(error: unknown, passing: ProviderError | undefined): void {
    if (this.#answering || !passing) {
      this.unsubscribe();
      this.asker.error(error);
      return;
    }
    if (!this.#worst || precedence(passing) < precedence(this.#worst)) this.#worst = passing;
    this.#advance();
  }

  /** Another candidate, another round, or the end. */
  #advance(): void {
    clearTimeout(this.#timer);
    while (this.#next < this.candidates.length) {
      const candidate = this.candidates[this.#next++]!;
      if (this.#force && this.#tried(candidate)) continue;
      if (this.#asked && !this.asker.budgetOf(candidate).spend()) continue;
      if (this.#begin(candidate)) return;
    }
    if (this.#attempts.some(({ ended }) => !ended)) return;
    if (!this.#force && this.candidates.length > 1 && this.#attempts.length < this.candidates.length) {
      // What is left are open circuits. Asking is better than refusing: several providers seldom fail at once, one has most likely recovered, and a
      // success closes its circuit. The retry budgets bound what this adds to an outage.
      this.#force = true;
      this.#next = 0;
      this.#advance();
      return;
    }
    const wait = backoff(this.#round + 1, this.#worst?.retryAfterMs);
    const again = this.#round < this.settings.retries && this.#asked && wait <= this.settings.max_retry_wait;
    if (!again || this.candidates.every((candidate) => this.asker.budgetOf(candidate).empty)) {
      this.asker.error(this.#worst ?? notAsked(this.#queueFull));
      return;
    }
    this.#timer = setTimeout(() => this.#goAround(), wait);
  }

  #goAround(): void {
    this.#round++;
    this.#next = 0;
    this.#force = false;
    this.#attempts = [];
    this.#advance();
  }

  #tried(candidate: C): boolean {
    return this.#attempts.some((attempt) => attempt.candidate === candidate);
  }

  /** False when the candidate cannot be asked now. */
  #begin(candidate: C): boolean {
    const { health, simulated } = candidate;
    const record: AttemptRecord = { offer: health.name, outcome: 'served', startedMs: performance.now() - this.asker.startedAt };
    if (!this.#force && !simulated && !health.breaker.allows) return this.#skip(record, 'circuit_open');
    if (health.limit.full) return this.#skip(record, 'queue_full');
    if (!simulated) health.begin();
    if (!this.#asked) this.asker.budgetOf(candidate).firstAttempt();
    this.#asked = true;
    const attempt = new FallbackAttempt(candidate, record, this);
    this.#attempts.push(attempt);
    health.limit.enter(attempt);
    if (this.settings.hedge && !this.#answering && !attempt.ended) this.#hedge(candidate);
    return true;
  }

  #skip(record: AttemptRecord, outcome: 'circuit_open' | 'queue_full'): false {
    record.outcome = outcome;
    if (outcome === 'queue_full') this.#queueFull = true;
    this.asker.record(record);
    return false;
  }

  /** The next candidate is asked as well, should this one be late. */
  #hedge({ health: { lateAfterMs } }: C): void {
    if (this.#next >= this.candidates.length || lateAfterMs === undefined) return;
    this.#timer = setTimeout(() => this.#advance(), lateAfterMs);
  }
}

/** Nobody was asked at all. */
function notAsked(queueFull: boolean): ProviderError {
  return queueFull
    ? new ProviderError('overloaded', 'the queue of every offer is full')
    : new ProviderError('model_unavailable', 'every offer is paused after failures');
}

/** Which of several failures the client sees: that all are busy says more than that one was unreachable. */
function precedence({ kind }: ProviderError): number {
  return ['rate_limited', 'overloaded', 'timeout', 'unreachable', 'bad_response'].indexOf(kind) >>> 0;
}
