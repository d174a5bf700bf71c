import type { Observer, Subscribable, Unsubscribable } from 'rxjs';
import type { AttemptRecord } from '../../common/generation-record.js';
import { isProviderError, type ProviderError } from '../../providers/provider-error.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { kindRules } from '../attempts/provider-error.mapping.js';
import type { QueuedCall } from './concurrency-limit.js';
import type { RetryBudget } from './retry-budget.js';
import type { Candidate } from './strategy.js';

/** Asks the candidates on behalf of a Fallback, and receives the chunks of the one that answers. */
export interface FallbackHandler<C extends Candidate> extends Observer<GenerationChunk> {
  /** When the times of the attempts begin, on the clock of `performance.now()`. */
  readonly startedAt: number;
  budgetOf(candidate: C): RetryBudget;
  /** Asks one candidate. */
  ask(candidate: C, attempt: AttemptRecord): Subscribable<GenerationChunk>;
  /** Called when an attempt has ended, or could not be made. */
  record(attempt: AttemptRecord): void;
  /** Called before the first chunk of the candidate that answers. */
  served(candidate: C): void;
}

/** Decides what follows from each attempt. A Fallback implements it; the interface keeps the two files from a cycle. */
export interface AttemptHandler<C extends Candidate> {
  readonly handler: FallbackHandler<C>;
  /** Called before the first chunk of the attempt. */
  began(attempt: FallbackAttempt<C>): void;
  complete(): void;
  /** @param retryable the same error, where another candidate may be asked after it */
  failed(error: unknown, retryable: ProviderError | undefined): void;
}

/**
 * One attempt at one candidate. It waits for its turn, reports its end to the offer's health, and fills in its record.
 */
export class FallbackAttempt<C extends Candidate> implements QueuedCall, Observer<GenerationChunk> {
  #startedAt = performance.now();
  #tokens = 0;
  #entered = false;
  #ended = false;
  #subscription: Unsubscribable | undefined;

  constructor(
    readonly candidate: C,
    private readonly record: AttemptRecord,
    private readonly owner: AttemptHandler<C>,
  ) {}

  get ended(): boolean {
    return this.#ended;
  }

  begin(): void {
    const now = performance.now();
    this.#entered = true;
    this.record.queueMs = now - this.#startedAt;
    this.#startedAt = now;
    try {
      this.#subscription = this.owner.handler.ask(this.candidate, this.record).subscribe(this);
    } catch (error) {
      // It must not reach whoever has let this attempt begin: a timer, or the end of another request's attempt.
      this.error(error);
    }
    if (this.#ended) this.#subscription?.unsubscribe();
  }

  /** Cancels the attempt, unless it has ended. */
  cancel(outcome: 'lost_hedge' | 'client_left'): void {
    if (this.#ended) return;
    const { breaker, limit } = this.candidate.health;
    breaker.abandoned();
    if (!this.#entered) limit.leave(this);
    this.#end(outcome);
    this.#subscription?.unsubscribe();
  }

  next(chunk: GenerationChunk): void {
    if (this.#ended) return;
    this.#tokens += chunk.tokens ?? chunk.run?.literals.length ?? chunk.choices.length;
    if (this.record.firstTokenMs === undefined) {
      this.record.firstTokenMs = performance.now() - this.#startedAt;
      this.owner.began(this);
    }
    this.owner.handler.next(chunk);
  }

  error(error: unknown): void {
    if (this.#ended) return;
    const { health, simulated } = this.candidate;
    const failure = isProviderError(error) ? error : undefined;
    const retryable = failure && !simulated && kindRules[failure.kind].next ? failure : undefined;
    if (retryable) health.breaker.failed(retryable.retryAfterMs);
    else health.breaker.succeeded();
    this.record.status = failure?.status;
    this.#end(failure?.kind ?? 'bad_response');
    this.owner.failed(error, retryable);
  }

  complete(): void {
    if (this.#ended) return;
    const { health } = this.candidate;
    health.breaker.succeeded();
    this.#end('served');
    const { firstTokenMs, totalMs } = this.record;
    if (firstTokenMs !== undefined) health.observe(firstTokenMs, totalMs!, this.#tokens);
    this.owner.complete();
  }

  #end(outcome: AttemptRecord['outcome']): void {
    this.#ended = true;
    if (this.#entered) this.candidate.health.limit.release();
    this.record.outcome = outcome;
    this.record.totalMs = performance.now() - this.#startedAt;
    this.owner.handler.record(this.record);
  }
}
