import type { Observer, Subscribable, Unsubscribable } from 'rxjs';
import type { AttemptRecord } from '../../common/generation-record.js';
import { isProviderError, type ProviderError } from '../../providers/provider-error.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { kindRules } from '../attempts/provider-error.mapping.js';
import type { QueuedCall } from './concurrency-limit.js';
import type { RetryBudget } from './retry-budget.js';
import type { Candidate } from './strategy.js';

/** Who wants an answer, and knows how each candidate is asked for it. */
export interface FallbackHandler<C extends Candidate> extends Observer<GenerationChunk> {
  /** What the times of the attempts count from, on the clock of `performance.now()`. */
  readonly startedAt: number;
  budgetOf(candidate: C): RetryBudget;
  /** Asks one candidate. */
  ask(candidate: C, attempt: AttemptRecord): Subscribable<GenerationChunk>;
  /** An attempt has ended, or could not be made. */
  record(attempt: AttemptRecord): void;
  /** The answer is this candidate's. */
  served(candidate: C): void;
}

/** Who makes the attempts of one answer, and decides what follows from each. */
export interface AttemptHandler<C extends Candidate> {
  readonly asker: FallbackHandler<C>;
  /** The attempt has begun to answer. */
  answers(attempt: FallbackAttempt<C>): void;
  complete(): void;
  /** @param passing another candidate may be asked after this failure */
  failed(error: unknown, passing: ProviderError | undefined): void;
}

/** One attempt at one candidate: its place among the calls of the offer, what the offer's health learns of it, and its record. */
export class FallbackAttempt<C extends Candidate> implements QueuedCall, Observer<GenerationChunk> {
  #startedAt = performance.now();
  #tokens = 0;
  #entered = false;
  #ended = false;
  #answers: Unsubscribable | undefined;

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
    const answers = this.owner.asker.ask(this.candidate, this.record).subscribe(this);
    if (this.#ended) answers.unsubscribe();
    else this.#answers = answers;
  }

  /** @param why as AttemptRecord.outcome */
  leave(why: 'lost_hedge' | 'client_left'): void {
    if (this.#ended) return;
    const { breaker, limit } = this.candidate.health;
    breaker.abandoned();
    if (!this.#entered) limit.leave(this);
    this.#end(why);
    this.#answers?.unsubscribe();
  }

  next(chunk: GenerationChunk): void {
    if (this.#ended) return;
    this.#tokens += chunk.tokens ?? chunk.run?.literals.length ?? chunk.choices.length;
    if (this.record.firstTokenMs === undefined) {
      this.record.firstTokenMs = performance.now() - this.#startedAt;
      this.owner.answers(this);
    }
    this.owner.asker.next(chunk);
  }

  error(error: unknown): void {
    if (this.#ended) return;
    const { health, simulated } = this.candidate;
    const failure = isProviderError(error) ? error : undefined;
    const passing = failure && !simulated && kindRules[failure.kind].next ? failure : undefined;
    if (passing) health.breaker.failed(passing.retryAfterMs);
    else health.breaker.succeeded();
    this.record.status = failure?.status;
    this.#end(failure?.kind ?? 'bad_response');
    this.owner.failed(error, passing);
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
    this.owner.asker.record(this.record);
  }
}
