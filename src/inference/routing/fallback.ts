import type { Unsubscribable } from 'rxjs';
import type { AttemptRecord } from '../../common/generation-record.js';
import type { Config } from '../../config/config.schema.js';
import { ProviderError } from '../../providers/provider-error.js';
import { backoff } from './backoff.js';
import { type FallbackHandler, type AttemptHandler, FallbackAttempt } from './fallback-attempt.js';
import type { Candidate } from './strategy.js';

/** `retries` counts the rounds over the candidates after the first one. No wait is longer than `max_retry_wait`. */
export type FallbackSettings = Pick<Config['routing'], 'retries' | 'max_retry_wait' | 'hedge'>;

/**
 * Asks one candidate after the other until a first chunk comes; from then on no other candidate is asked. Before that,
 * the kind of an error alone decides whether another candidate is asked. Unsubscribing cancels attempts and timers at
 * once.
 */
export class Fallback<C extends Candidate> implements AttemptHandler<C>, Unsubscribable {
  /** The attempts of this round. */
  #attempts: FallbackAttempt<C>[] = [];
  #answering = false;
  /** Whether further attempts must be paid from the retry budgets. */
  #asked: boolean;
  #next = 0;
  #round = 0;
  /** Whether candidates with an open circuit are asked too. */
  #force = false;
  #worst: ProviderError | undefined;
  #queueFull = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param retry whether the first attempt too must be paid from its provider's retry budget */
  constructor(
    readonly handler: FallbackHandler<C>,
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
    for (const attempt of this.#attempts) attempt.cancel('client_left');
  }

  began(attempt: FallbackAttempt<C>): void {
    this.#answering = true;
    clearTimeout(this.#timer);
    for (const other of this.#attempts) if (other !== attempt) other.cancel('lost_hedge');
    this.handler.served(attempt.candidate);
  }

  complete(): void {
    this.unsubscribe();
    this.handler.complete();
  }

  failed(error: unknown, retryable: ProviderError | undefined): void {
    if (this.#answering || !retryable) {
      this.unsubscribe();
      this.handler.error(error);
      return;
    }
    if (!this.#worst || precedence(retryable) < precedence(this.#worst)) this.#worst = retryable;
    this.#advance();
  }

  /** Asks another candidate, waits for another round, or fails. */
  #advance(): void {
    clearTimeout(this.#timer);
    while (this.#next < this.candidates.length) {
      const candidate = this.candidates[this.#next++]!;
      if (this.#force && this.#tried(candidate)) continue;
      if (this.#asked && !this.handler.budgetOf(candidate).spend()) continue;
      if (this.#begin(candidate)) return;
    }
    if (this.#attempts.some(({ ended }) => !ended)) return;
    if (!this.#force && this.candidates.length > 1 && this.#attempts.length < this.candidates.length) {
      // The remaining candidates have open circuits. To ask them is better than to refuse: several providers seldom
      // fail at once, one has most likely recovered, and a success closes its circuit. The retry budgets limit the load
      // that this adds to an outage.
      this.#force = true;
      this.#next = 0;
      this.#advance();
      return;
    }
    const wait = backoff(this.#round + 1, this.#worst?.retryAfterMs);
    const again = this.#round < this.settings.retries && this.#asked && wait <= this.settings.max_retry_wait;
    if (!again || this.candidates.every((candidate) => this.handler.budgetOf(candidate).empty)) {
      this.handler.error(this.#worst ?? notAsked(this.#queueFull));
      return;
    }
    this.#timer = setTimeout(() => this.#beginRound(), wait);
  }

  #beginRound(): void {
    this.#round++;
    this.#next = 0;
    this.#force = false;
    this.#attempts = [];
    this.#advance();
  }

  #tried(candidate: C): boolean {
    return this.#attempts.some((attempt) => attempt.candidate === candidate);
  }

  /** @returns false where the candidate cannot be asked now */
  #begin(candidate: C): boolean {
    const { health, simulated } = candidate;
    const record: AttemptRecord = { offer: health.name, outcome: 'served', startedMs: performance.now() - this.handler.startedAt };
    if (!this.#force && !simulated && !health.breaker.allows) return this.#skip(record, 'circuit_open');
    if (health.limit.full) return this.#skip(record, 'queue_full');
    if (!simulated) health.begin();
    if (!this.#asked) this.handler.budgetOf(candidate).firstAttempt();
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
    this.handler.record(record);
    return false;
  }

  /** Asks the next candidate too if this one is late. */
  #hedge({ health: { lateAfterMs } }: C): void {
    if (this.#next >= this.candidates.length || lateAfterMs === undefined) return;
    this.#timer = setTimeout(() => this.#advance(), lateAfterMs);
  }
}

/** The error where no candidate could be asked. */
function notAsked(queueFull: boolean): ProviderError {
  return queueFull
    ? new ProviderError('overloaded', 'the queue of every offer is full')
    : new ProviderError('model_unavailable', 'every offer is paused after failures');
}

/**
 * Which of several failures the client gets, the lowest first: that offers are busy says more than that one is
 * unreachable.
 */
function precedence({ kind }: ProviderError): number {
  return ['rate_limited', 'overloaded', 'timeout', 'unreachable', 'bad_response'].indexOf(kind) >>> 0;
}
