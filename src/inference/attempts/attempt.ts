import type { Observer, Subscribable, Unsubscribable } from 'rxjs';
import type { Clock, Timer } from '../../common/time/clock.js';
import { withoutSecrets } from '../../providers/errors/hidden-secrets.js';
import { isProviderError, ProviderError } from '../../providers/contract/provider-error.js';
import type { ProviderCall } from '../../providers/contract/model-provider.js';
import { type ChunkObserver, isPushed, type ChunkSubscription } from '../../providers/contract/pushed-chunks.js';
import { type GenerationChunk, type InferenceRequest, isOverInputs, type OverInputs } from '../../wire/generation.js';
import { splitRun } from '../chunks/split-run.js';
import { operationOf } from '../over-inputs/over-inputs.js';
import type { AdmittedRequest } from '../routing/generation-plan.js';
import type { Route } from '../routing/router.service.js';
import { CallOfAttempt } from './call-of-attempt.js';
import { requireReadable } from './require-readable.js';
import type { UpstreamMeter } from './upstream-meter.js';
import { asChat, ChatAsText } from './via-chat.js';

/** Is told how each attempt ends, before its client is; not of one that was cancelled. */
export interface AttemptWatch {
  readonly clock: Clock;
  failed(attempt: Attempt, error: ProviderError): void;
  completed(attempt: Attempt): void;
  /** @returns whether there is room for so many bytes until the client has its answer */
  keeps(attempt: Attempt, bytes: number): boolean;
}

/**
 * One call of a provider, metered. It connects pull (providers are generators) with push (Observables), and is the only
 * place that aborts an upstream request. Unsubscribing aborts it at once, also while the provider is idle.
 */
export class Attempt implements Subscribable<GenerationChunk>, Unsubscribable, ChunkObserver {
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  readonly #onTimer = () => this.#look();
  #timer: Timer | undefined;
  #abort: AbortController | undefined;
  #pushed: ChunkSubscription | undefined;
  #client!: Observer<GenerationChunk>;
  /** Where a chat model answers a completion. */
  #text: ChatAsText | undefined;
  #chunks = 0;
  #emitted = false;
  #seen = 0;
  #pausedMs = 0;
  /** The timer that runs is that of the total time. Timers may fire early by the time of a turn of the event loop. */
  #last = false;
  #ended = false;

  constructor(
    readonly admitted: AdmittedRequest,
    readonly route: Route,
    private readonly request: InferenceRequest,
    readonly meter: UpstreamMeter,
    private readonly watch: AttemptWatch,
    private readonly traceHeaders?: Readonly<Record<string, string>>,
  ) {
    this.startedAt = watch.clock.monotonic();
  }

  subscribe(client: Observer<GenerationChunk>): Unsubscribable {
    this.#client = client;
    this.#wait(this.admitted.plan.config.routing.first_token_timeout);
    try {
      this.#ask();
    } catch (error) {
      this.error(error);
    }
    return this;
  }

  /** Called when the client has left, or another attempt was quicker. */
  unsubscribe(): void {
    if (this.#ended) return;
    this.#end();
    this.#cancel();
  }

  /** A chunk that cannot be read fails the attempt: whoever pushes it is in the middle of reading a connection. */
  next(chunk: GenerationChunk): void {
    try {
      if (!this.#text) this.#next(chunk);
      else for (const one of splitRun(chunk)) this.#next(this.#text.chunk(one));
    } catch (error) {
      this.error(error);
    }
  }

  error(error: unknown): void {
    if (this.#ended) return;
    const failure = isProviderError(error)
      ? withoutSecrets(this.route.provider, error)
      : new ProviderError('bad_response', 'the provider module failed', { cause: error });
    this.#end();
    this.#cancel();
    this.watch.failed(this, failure);
    this.#client.error(failure);
  }

  complete(): void {
    if (this.#ended) return;
    this.#end();
    try {
      this.meter.requireFinished();
      this.watch.completed(this);
    } catch (error) {
      if (isProviderError(error)) this.watch.failed(this, error);
      this.#client.error(error);
      return;
    }
    this.#client.complete();
  }

  #ask(): void {
    const { provider, offer } = this.route;
    const call = new CallOfAttempt(this, offer, this.admitted, this.traceHeaders);
    let { request } = this;
    if (isOverInputs(request)) return void this.#askWhole(request, call);
    if (offer.completionsViaChat && request.operation === 'completion') {
      this.#text = new ChatAsText();
      request = asChat(request);
    }
    const answer = provider.generate(request, call);
    if (!isPushed(answer)) {
      this.meter.asked(undefined);
      return void this.#pull(answer);
    }
    this.#pushed = answer.push(this);
    this.meter.asked(this.#pushed);
    if (this.#ended) this.#pushed.cancel();
  }

  async #askWhole(request: OverInputs, call: ProviderCall): Promise<void> {
    const { provider, offer } = this.route;
    const operation = operationOf(request);
    this.meter.asked(undefined);
    try {
      const answer = await operation.ask(request, provider, call, offer);
      if (this.#ended) return;
      if (!this.watch.keeps(this, operation.bytesOf(answer))) throw noRoom();
      this.next(answer);
      this.complete();
    } catch (error) {
      this.error(error);
    }
  }

  async #pull(answer: AsyncIterable<GenerationChunk>): Promise<void> {
    const { flow } = this.admitted.context;
    try {
      for await (const chunk of answer) {
        if (this.#ended) return;
        requireReadable(chunk, this.request.n);
        this.next(chunk);
        if (flow.paused) await flow.ready();
      }
      this.complete();
    } catch (error) {
      this.error(error);
    }
  }

  #next(chunk: GenerationChunk): void {
    if (this.#ended) return;
    const { context, plan } = this.admitted;
    if (this.#chunks++ === 0 && this.request.stream) {
      this.watch.clock.clear(this.#timer);
      this.#wait(plan.config.routing.idle_timeout);
      this.#seen = 1;
    }
    if (context.flow.overrun) return this.error(new ProviderError('bad_response', 'the provider sends on while it is to pause'));
    // An empty chunk resets the timeouts, but it is not emitted: another candidate may still answer.
    const empty = chunk.choices.length === 0 && !chunk.usage && chunk.promptTokens === undefined && !(chunk.ended && this.#emitted);
    if (empty && !chunk.usageSoFar) return;
    this.meter.see(chunk);
    if (empty) return;
    this.#emitted = true;
    this.#client.next(chunk);
  }

  // One timer for each call: it checks whether anything came since it last fired, so that a chunk only increments a
  // counter. Silence therefore ends a call after one to two idle timeouts. A provider that was paused in the meantime
  // has not been silent.
  #look(): void {
    const { context, plan } = this.admitted;
    const { pausedMs } = context.flow;
    if (this.#last) return this.error(new ProviderError(this.#chunks === 0 ? 'timeout' : 'total_timeout', 'total time exceeded'));
    if (this.#chunks === this.#seen && pausedMs === this.#pausedMs) {
      return this.error(new ProviderError('timeout', this.#chunks === 0 ? 'no first token in time' : 'silence in mid-stream'));
    }
    this.#seen = this.#chunks;
    this.#pausedMs = pausedMs;
    this.#wait(plan.config.routing.idle_timeout);
  }

  /** @param ms milliseconds of silence that are too many */
  #wait(ms: number): void {
    const left = this.startedAt + this.admitted.plan.config.routing.total_timeout - this.watch.clock.monotonic();
    this.#last = left <= ms;
    this.#timer = this.watch.clock.setTimeout(this.#onTimer, Math.min(ms, left));
  }

  /** Whether it generates a text: of other counts nothing is learned. */
  get generates(): boolean {
    return !isOverInputs(this.request);
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#ended) this.#abort.abort();
    return this.#abort.signal;
  }

  #end(): void {
    this.#ended = true;
    this.watch.clock.clear(this.#timer);
  }

  #cancel(): void {
    this.#abort?.abort();
    this.#pushed?.cancel();
  }
}

function noRoom(): ProviderError {
  return new ProviderError(
    'limit_exceeded',
    'The answers under way, or those of this account, have too many bytes together (server.answer_budget). Please retry.',
  );
}
