import type { Observer, Subscribable, Unsubscribable } from 'rxjs';
import type { Clock } from '../../common/time/clock.js';
import type { AttemptRecord } from '../../common/requests/generation-record.js';
import { isProviderError, type ProviderError } from '../../providers/contract/provider-error.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { UpstreamMeter } from './upstream-meter.js';
import { isCallers, kindRules } from './provider-error.mapping.js';
import type { QueuedCall } from '../routing/concurrency-limit.js';
import type { Route } from '../routing/router.service.js';

/** Asks the routes on behalf of a Fallback, and receives the chunks of the one that answers. */
export interface FallbackHandler extends Observer<GenerationChunk> {
  /** The id of the account that asks. */
  readonly account: string;
  readonly clock: Clock;
  /** When the times of the attempts begin, in monotonic milliseconds. */
  readonly startedAt: number;
  readonly streamed: boolean;
  /** Asks its route, and fills in its meters. */
  ask(attempt: FallbackAttempt): Subscribable<GenerationChunk>;
  /** Called when an attempt has ended, or could not be made. */
  record(attempt: AttemptRecord): void;
  /** Called before the first chunk of the attempt that answers. */
  served(attempt: FallbackAttempt): void;
}

/** Decides what follows from each attempt. A Fallback implements it; the interface keeps the two files from a cycle. */
export interface AttemptHandler {
  readonly handler: FallbackHandler;
  /** Called before the first chunk of the attempt. */
  began(attempt: FallbackAttempt): void;
  complete(): void;
  /**
   * @param retryable the same error, where another route may be asked after it
   * @param callers whether the request is at fault
   */
  failed(error: unknown, retryable: ProviderError | undefined, callers: boolean): void;
}

/**
 * One attempt at one route. It waits for its turn, reports its end to the offer's health, and fills in its record.
 */
export class FallbackAttempt implements QueuedCall, Observer<GenerationChunk> {
  /** One for each upstream call of the route, once it has been asked. */
  meters: readonly UpstreamMeter[] = [];
  /** What has come of an answer that is not streamed: after any failure of it another route may be asked. */
  readonly #whole: GenerationChunk[] = [];
  #startedAt: number;
  #tokens = 0;
  #entered = false;
  #ended = false;
  #subscription: Unsubscribable | undefined;

  /** @param trial whether it tries the offer after a pause */
  constructor(
    readonly route: Route,
    readonly record: AttemptRecord,
    private readonly trial: boolean,
    private readonly owner: AttemptHandler,
  ) {
    this.#startedAt = owner.handler.clock.monotonic();
  }

  get account(): string {
    return this.owner.handler.account;
  }

  get ended(): boolean {
    return this.#ended;
  }

  begin(): void {
    const now = this.owner.handler.clock.monotonic();
    this.#entered = true;
    this.record.queueMs = now - this.#startedAt;
    this.#startedAt = now;
    try {
      this.#subscription = this.owner.handler.ask(this).subscribe(this);
    } catch (error) {
      // It must not reach whoever has let this attempt begin: a timer, or the end of another request's attempt.
      this.error(error);
    }
    if (this.#ended) this.#subscription?.unsubscribe();
  }

  /** Cancels the attempt, unless it has ended. */
  cancel(outcome: 'lost_hedge' | 'client_left'): void {
    if (this.#ended) return;
    const { circuit, limit } = this.route.health;
    circuit.abandoned(this.account, this.trial);
    if (!this.#entered) limit.leave(this);
    this.#end(outcome);
    this.#subscription?.unsubscribe();
  }

  next(chunk: GenerationChunk): void {
    if (this.owner.handler.streamed) this.#pass(chunk);
    else if (!this.#ended) this.#whole.push(chunk);
  }

  #pass(chunk: GenerationChunk): void {
    if (this.#ended) return;
    this.#tokens += chunk.tokens ?? chunk.run?.literals.length ?? chunk.choices.length;
    if (this.record.firstTokenMs === undefined) {
      this.record.firstTokenMs = this.owner.handler.clock.monotonic() - this.#startedAt;
      this.owner.began(this);
    }
    this.owner.handler.next(chunk);
  }

  error(error: unknown): void {
    if (this.#ended) return;
    const { health, offer, simulated } = this.route;
    const { account } = this;
    const failure = isProviderError(error) ? error : undefined;
    const retryable = failure && !simulated && kindRules[failure.kind].next ? failure : undefined;
    const callers = !retryable || isCallers(retryable, offer);
    if (failure?.parameter !== undefined && !simulated) health.ignored.add(account, failure.parameter);
    if (callers) health.circuit.refused(account, this.trial);
    else health.circuit.failed(account, this.trial, retryable.retryAfterMs);
    this.record.status = failure?.status;
    this.#end(failure?.kind ?? 'bad_response');
    this.owner.failed(error, retryable, callers);
  }

  complete(): void {
    // The client may leave at any of them.
    for (const chunk of this.#whole) this.#pass(chunk);
    if (this.#ended) return;
    const { health } = this.route;
    health.circuit.succeeded(this.account, this.trial);
    this.#end('served');
    const { firstTokenMs, totalMs } = this.record;
    if (firstTokenMs !== undefined) health.observe(firstTokenMs, totalMs!, this.#tokens);
    this.owner.complete();
  }

  #end(outcome: AttemptRecord['outcome']): void {
    this.#ended = true;
    if (this.#entered) this.route.health.limit.release(this.account);
    this.record.outcome = outcome;
    if (this.meters.some(({ contradictory }) => contradictory)) this.record.contradictory = true;
    this.record.totalMs = this.owner.handler.clock.monotonic() - this.#startedAt;
    this.owner.handler.record(this.record);
  }
}
