import type { Unsubscribable } from 'rxjs';
import type { Timer } from '../../common/time/clock.js';
import { AttemptRecord } from '../../common/requests/generation-record.js';
import type { Config } from '../../config/config.schema.js';
import { ProviderError } from '../../providers/contract/provider-error.js';
import { backoff } from './backoff.js';
import { type AttemptHandler, FallbackAttempt, type FallbackHandler } from './fallback-attempt.js';
import type { Route } from '../routing/router.service.js';

/** `retries` counts the rounds over the routes after the first one. No wait is longer than `max_retry_wait`. */
export type FallbackSettings = Pick<Config['routing'], 'retries' | 'max_retry_wait' | 'hedge'>;

/**
 * Asks one route after the other until a first chunk comes; from then on no other route is asked. Before that, the kind
 * of an error alone decides whether another route is asked. Unsubscribing cancels attempts and timers at
 * once.
 */
export class Fallback implements AttemptHandler, Unsubscribable {
  /** Those of this round, also the ones that still wait for their turn. */
  attempts: FallbackAttempt[] = [];
  #answering = false;
  /** Whether further attempts must be paid from the retry budgets. */
  #asked: boolean;
  #next = 0;
  #round = 0;
  /** Whether routes with an open circuit are asked too. */
  #force = false;
  #worst: ProviderError | undefined;
  /** The first error after which no other route may be asked. */
  #final: { readonly error: unknown } | undefined;
  #queueFull = false;
  /** Whether another round may go better: not where every offer has found fault with the request. */
  #mayHelpToWait = false;
  #timer: Timer | undefined;

  /** @param retry whether the first attempt too must be paid from its provider's retry budget */
  constructor(
    readonly handler: FallbackHandler,
    private readonly routes: readonly Route[],
    private readonly settings: FallbackSettings,
    retry: boolean,
  ) {
    this.#asked = retry;
  }

  unsubscribe(): void {
    this.handler.clock.clear(this.#timer);
    for (const attempt of this.attempts) attempt.cancel('client_left');
  }

  began(attempt: FallbackAttempt): void {
    this.#answering = true;
    this.handler.clock.clear(this.#timer);
    for (const other of this.attempts) if (other !== attempt) other.cancel('lost_hedge');
    this.handler.served(attempt);
  }

  complete(): void {
    this.unsubscribe();
    this.handler.complete();
  }

  failed(error: unknown, retryable: ProviderError | undefined, callers: boolean): void {
    if (this.#answering) return this.#fail(error);
    if (!retryable || this.#final) {
      this.#final ??= { error };
      // A hedge must not take from a request the answer that it would have had without it.
      if (this.#running) this.handler.clock.clear(this.#timer);
      else this.#fail(this.#final.error);
      return;
    }
    if (!callers) this.#mayHelpToWait = true;
    if (!this.#worst || precedence(retryable) < precedence(this.#worst)) this.#worst = retryable;
    this.advance();
  }

  /** Asks the first route, or another one, waits for another round, or fails. */
  advance(): void {
    this.handler.clock.clear(this.#timer);
    while (this.#next < this.routes.length) {
      const route = this.routes[this.#next++]!;
      if (this.#force && this.#tried(route)) continue;
      if (this.#asked && !route.health.budget.spend(this.handler.account)) continue;
      if (this.#begin(route)) return;
    }
    if (this.#running) return;
    if (!this.#force && this.routes.length > 1 && this.attempts.length < this.routes.length) {
      // The remaining routes have open circuits. To ask them is better than to refuse: several providers seldom
      // fail at once, one has most likely recovered, and a success closes its circuit. The retry budgets limit the load
      // that this adds to an outage.
      this.#force = true;
      this.#next = 0;
      this.advance();
      return;
    }
    const wait = backoff(this.#round + 1, this.#worst?.retryAfterMs);
    const again = this.#round < this.settings.retries && this.#mayHelpToWait && wait <= this.settings.max_retry_wait;
    if (!again || this.routes.every(({ health }) => health.budget.emptyFor(this.handler.account))) {
      this.handler.error(this.#worst ?? notAsked(this.#queueFull));
      return;
    }
    this.#timer = this.handler.clock.setTimeout(() => this.#beginRound(), wait);
  }

  #fail(error: unknown): void {
    this.unsubscribe();
    this.handler.error(error);
  }

  #beginRound(): void {
    this.#round++;
    this.#next = 0;
    this.#force = false;
    this.attempts = [];
    this.advance();
  }

  /** Whether an attempt has not ended; it may wait for its turn. */
  get #running(): boolean {
    return this.attempts.some(({ ended }) => !ended);
  }

  #tried(route: Route): boolean {
    return this.attempts.some((attempt) => attempt.route === route);
  }

  /** @returns false where the route cannot be asked now */
  #begin(route: Route): boolean {
    const { health, simulated } = route;
    const record = new AttemptRecord(health.name, this.handler.clock.monotonic() - this.handler.startedAt);
    if (!this.#force && !simulated && !health.circuit.allows(this.handler.account)) return this.#skip(record, 'circuit_open');
    if (health.limit.fullFor(this.handler.account)) return this.#skip(record, 'queue_full');
    const trial = !simulated && health.begin(this.handler.account);
    if (!this.#asked) health.budget.firstAttempt(this.handler.account);
    this.#asked = true;
    const attempt = new FallbackAttempt(route, record, trial, this);
    this.attempts.push(attempt);
    health.limit.enter(attempt);
    if (this.settings.hedge && !this.#answering && !attempt.ended) this.#hedge(route);
    return true;
  }

  #skip(record: AttemptRecord, outcome: 'circuit_open' | 'queue_full'): false {
    record.outcome = outcome;
    if (outcome === 'queue_full') this.#queueFull = true;
    this.handler.record(record);
    return false;
  }

  /** Asks the next route too if this one is late. */
  #hedge({ health: { lateAfterMs } }: Route): void {
    if (this.#next >= this.routes.length || lateAfterMs === undefined) return;
    this.#timer = this.handler.clock.setTimeout(() => this.advance(), lateAfterMs);
  }
}

/** The error where no route could be asked. */
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
