import { Observable, type Observer, Subscription } from 'rxjs';
import type { AttemptRecord } from '../../common/generation-record.js';
import { isProviderError, ProviderError } from '../../providers/provider-error.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { kindRules } from '../provider-error.mapping.js';
import { backoff } from './backoff.js';
import type { RetryBudget } from './retry-budget.js';
import type { Candidate } from './strategy.js';

export interface FallbackSettings {
  /** Rounds over the candidates after the first. */
  readonly retries: number;
  /** A provider's `retry-after` beyond this is not waited for. */
  readonly longestWaitMs: number;
  /** A second candidate is asked when the first is late. */
  readonly hedge: boolean;
}

export interface FallbackCall<C extends Candidate> {
  readonly candidates: readonly C[];
  readonly settings: FallbackSettings;
  /** The first attempt too is a further one, to be paid from its provider's budget. */
  readonly retry?: boolean;
  readonly budgetOf: (candidate: C) => RetryBudget;
  /** What the times of the attempts count from, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Starts one attempt at a candidate. */
  readonly attempt: (candidate: C, attempt: AttemptRecord) => Observable<GenerationChunk>;
  readonly record: (attempt: AttemptRecord) => void;
  readonly served: (candidate: C) => void;
}

/**
 * Asks one candidate after the other until a first chunk comes; from then on that one answers or the answer fails. Whether another is tried follows
 * from the error's kind alone. Unsubscribing leaves queues, timers and attempts at once.
 */
export function withFallback<C extends Candidate>(call: FallbackCall<C>): Observable<GenerationChunk> {
  return new Observable((subscriber) => {
    const running = new Set<Subscription>();
    let timer: NodeJS.Timeout | undefined;
    let winner: C | undefined;
    let next = 0;
    let round = 0;
    let worst: ProviderError | undefined;
    let asked = call.retry ? 1 : 0;
    let fullQueues = 0;
    let force = false;
    const tried = new Set<C>();

    const stop = (): void => {
      clearTimeout(timer);
      for (const subscription of running) subscription.unsubscribe();
    };

    /** Another candidate, another round, or the end. */
    const advance = (): void => {
      while (next < call.candidates.length) {
        const candidate = call.candidates[next++]!;
        if (force && tried.has(candidate)) continue;
        if (asked > 0 && !call.budgetOf(candidate).spend()) continue;
        if (begin(candidate)) return;
      }
      if (running.size > 0) return;
      if (!force && call.candidates.length > 1 && tried.size < call.candidates.length) {
        // What is left are open circuits. Asking is better than refusing: several providers seldom fail at once, one has most likely recovered, and a
        // success closes its circuit. The retry budgets bound what this adds to an outage.
        force = true;
        next = 0;
        advance();
        return;
      }
      const wait = backoff(round + 1, worst?.retryAfterMs);
      const again = round < call.settings.retries && asked > 0 && wait <= call.settings.longestWaitMs;
      if (!again || call.candidates.every((candidate) => call.budgetOf(candidate).empty)) {
        subscriber.error(worst ?? notAsked(fullQueues > 0));
        return;
      }
      round++;
      next = 0;
      force = false;
      tried.clear();
      timer = setTimeout(advance, wait);
    };

    /** False when the candidate cannot be asked now. */
    const begin = (candidate: C): boolean => {
      const { health } = candidate;
      const attempt: AttemptRecord = { offer: health.name, outcome: 'served', startedMs: performance.now() - call.startedAt };
      const skip = (outcome: 'circuit_open' | 'queue_full'): false => {
        attempt.outcome = outcome;
        if (outcome === 'queue_full') fullQueues++;
        call.record(attempt);
        return false;
      };
      if (!force && !candidate.simulated && !health.breaker.allows) return skip('circuit_open');
      if (health.limit.full) return skip('queue_full');
      if (!candidate.simulated) health.begin();
      tried.add(candidate);
      if (asked++ === 0) call.budgetOf(candidate).firstAttempt();
      attemptAt(candidate, attempt);
      if (call.settings.hedge && next < call.candidates.length && health.lateAfterMs !== undefined) {
        clearTimeout(timer);
        timer = setTimeout(advance, health.lateAfterMs);
      }
      return true;
    };

    const attemptAt = (candidate: C, attempt: AttemptRecord): void => {
      const { health } = candidate;
      const subscription = new Subscription();
      running.add(subscription);
      let ended = false;
      let entered = false;
      let tokens = 0;
      let startedAt = performance.now();

      const end = (outcome: AttemptRecord['outcome']): void => {
        if (ended) return;
        ended = true;
        running.delete(subscription);
        if (entered) health.limit.release();
        attempt.outcome = outcome;
        attempt.totalMs = performance.now() - startedAt;
        call.record(attempt);
      };

      const chunks = new Observable<GenerationChunk>((source) => {
        let inner: Subscription | undefined;
        const leave = health.limit.enter(() => {
          entered = true;
          attempt.queueMs = performance.now() - startedAt;
          startedAt = performance.now();
          inner = call.attempt(candidate, attempt).subscribe(source);
        });
        return () => {
          leave?.();
          inner?.unsubscribe();
        };
      });
      subscription.add(() => {
        if (ended) return;
        health.breaker.abandoned();
        end(winner && winner !== candidate ? 'lost_hedge' : 'client_left');
      });
      const observer: Partial<Observer<GenerationChunk>> = {
        next: (chunk) => {
          tokens += chunk.tokens ?? chunk.run?.literals.length ?? chunk.choices.length;
          if (!winner) {
            winner = candidate;
            clearTimeout(timer);
            attempt.firstTokenMs = performance.now() - startedAt;
            for (const other of running) if (other !== subscription) other.unsubscribe();
            call.served(candidate);
          }
          subscriber.next(chunk);
        },
        error: (error: unknown) => {
          const failure = isProviderError(error) ? error : undefined;
          const further = failure !== undefined && kindRules[failure.kind].next;
          if (further && !candidate.simulated) health.breaker.failed(failure.retryAfterMs);
          else health.breaker.succeeded();
          attempt.status = failure?.status;
          end(failure?.kind ?? 'bad_response');
          if (winner || !further || candidate.simulated) {
            stop();
            subscriber.error(error);
            return;
          }
          if (!worst || precedence(failure) < precedence(worst)) worst = failure;
          advance();
        },
        complete: () => {
          health.breaker.succeeded();
          end('served');
          if (attempt.firstTokenMs !== undefined) health.observe(attempt.firstTokenMs, attempt.totalMs!, tokens);
          subscriber.complete();
        },
      };
      subscription.add(chunks.subscribe(observer));
    };

    advance();
    return stop;
  });
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
