import { Observable, type Observer, type Subscriber } from 'rxjs';
import type { Flow, ModelProvider, ProviderCall } from '../providers/model-provider.js';
import { isProviderError, ProviderError } from '../providers/provider-error.js';
import { type ChunkSink, isPushed, type PushedSource } from '../providers/pushed-answer.js';
import type { GenerationChunk, GenerationRequest } from '../wire/generation.js';

/** Milliseconds. */
export interface AttemptTimeouts {
  readonly firstToken: number;
  readonly idle: number;
  readonly total: number;
}

export interface AttemptCall {
  readonly requestId: string;
  readonly upstreamModel: string;
  readonly traceHeaders?: Readonly<Record<string, string>>;
  readonly flow: Flow;
  readonly timeouts: AttemptTimeouts;
  readonly dropped: (parameter: string) => void;
}

/** Sees what an attempt emits, before it is emitted; what it throws is the answer's error. */
export type AttemptWatch = Partial<Observer<GenerationChunk>>;

/**
 * One call of a provider as an Observable: the bridge between pull (providers are generators) and push (everything behind them), and the only
 * place that aborts an upstream. Unsubscribing aborts at once, also while the provider is idle, which `from(asyncIterable)` does not.
 * @param watch as rxjs's `tap`, which would be one more subscriber that each chunk passes through
 */
export function attempt(
  provider: ModelProvider,
  request: GenerationRequest,
  call: AttemptCall,
  watch: AttemptWatch = {},
): Observable<GenerationChunk> {
  return new Observable((subscriber) => {
    const running = new RunningAttempt(call, subscriber, watch);
    running.begin(provider, request);
    return () => running.leave();
  });
}

class RunningAttempt implements ChunkSink {
  readonly #started = Date.now();
  readonly #onTimer = () => this.#look();
  #timer: NodeJS.Timeout | undefined;
  #abort: AbortController | undefined;
  #source: PushedSource | undefined;
  #streamed = true;
  #chunks = 0;
  #seen = 0;
  #ended = false;

  constructor(
    private readonly call: AttemptCall,
    private readonly subscriber: Subscriber<GenerationChunk>,
    private readonly watch: AttemptWatch,
  ) {}

  begin(provider: ModelProvider, request: GenerationRequest): void {
    const { requestId, upstreamModel, traceHeaders, flow, timeouts, dropped } = this.call;
    this.#streamed = request.stream;
    this.#timer = setTimeout(this.#onTimer, Math.min(timeouts.firstToken, timeouts.total));
    try {
      const answer = provider.generate(request, new CallOfAttempt(this, requestId, upstreamModel, traceHeaders, flow, dropped));
      if (!isPushed(answer)) return void this.#pull(answer);
      this.#source = answer.push(this);
      if (this.#ended) this.#source.cancel();
    } catch (error) {
      this.error(error);
    }
  }

  /** The client has left, or another attempt was quicker. */
  leave(): void {
    if (this.#ended) return;
    this.#end();
    this.#cancel();
  }

  next(chunk: GenerationChunk): void {
    if (this.#ended) return;
    if (this.#chunks++ === 0 && this.#streamed) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#onTimer, Math.min(this.call.timeouts.idle, this.#left));
      this.#seen = 1;
    }
    // A sign of life holds the timers off and is nothing to go on with: another candidate may still answer.
    if (chunk.choices.length === 0 && !chunk.usage && chunk.promptTokens === undefined) return;
    try {
      this.watch.next?.(chunk);
    } catch (error) {
      this.#end();
      this.#cancel();
      this.subscriber.error(error);
      return;
    }
    this.subscriber.next(chunk);
  }

  error(error: unknown): void {
    if (this.#ended) return;
    const failure = isProviderError(error) ? error : new ProviderError('bad_response', 'the provider module failed', { cause: error });
    this.#end();
    this.#cancel();
    this.watch.error?.(failure);
    this.subscriber.error(failure);
  }

  complete(): void {
    if (this.#ended) return;
    this.#end();
    try {
      this.watch.complete?.();
    } catch (error) {
      this.subscriber.error(error);
      return;
    }
    this.subscriber.complete();
  }

  async #pull(answer: AsyncIterable<GenerationChunk>): Promise<void> {
    const { flow } = this.call;
    try {
      for await (const chunk of answer) {
        if (this.#ended) return;
        this.next(chunk);
        if (flow.paused) await flow.ready();
      }
      this.complete();
    } catch (error) {
      this.error(error);
    }
  }

  // One timer a call: it looks whether anything came since it last fired, so that a chunk costs a counter and nothing else.
  // Silence therefore ends a call after one to two idle times.
  #look(): void {
    const left = this.#left;
    if (left <= 0) return this.error(new ProviderError('timeout', 'total time exceeded'));
    if (this.#chunks === this.#seen && !this.call.flow.paused) {
      return this.error(new ProviderError('timeout', this.#chunks === 0 ? 'no first token in time' : 'silence in mid-stream'));
    }
    this.#seen = this.#chunks;
    this.#timer = setTimeout(this.#onTimer, Math.min(this.call.timeouts.idle, left));
  }

  get #left(): number {
    return this.#started + this.call.timeouts.total - Date.now();
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#ended) this.#abort.abort();
    return this.#abort.signal;
  }

  #end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #cancel(): void {
    this.#abort?.abort();
    this.#source?.cancel();
  }
}

/**
 * What a provider is given. A provider that is pushed is left by other means, and most are: a signal is made for who asks for it. It is a property of
 * the object's own, so that a copy has it too, by one getter for all: V8 keeps a getter of each object in the old generation, and with it all that it
 * can reach, which was everything of the request.
 */
class CallOfAttempt implements ProviderCall {
  declare readonly signal: AbortSignal;
  static readonly #signal: PropertyDescriptor & ThisType<CallOfAttempt> = {
    enumerable: true,
    get() {
      return this.#attempt.signal;
    },
  };
  readonly #attempt: RunningAttempt;

  constructor(
    running: RunningAttempt,
    readonly requestId: string,
    readonly upstreamModel: string,
    readonly traceHeaders: Readonly<Record<string, string>> | undefined,
    readonly flow: Flow,
    readonly dropped: (parameter: string) => void,
  ) {
    this.#attempt = running;
    Object.defineProperty(this, 'signal', CallOfAttempt.#signal);
  }
}
