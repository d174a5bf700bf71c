import type { Observer, Subscribable, Unsubscribable } from 'rxjs';
import type { Flow, ModelProvider, ProviderCall } from '../../providers/model-provider.js';
import { isProviderError, ProviderError } from '../../providers/provider-error.js';
import { type ChunkObserver, isPushed, type ChunkSubscription } from '../../providers/pushed-chunks.js';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';

export interface AttemptCall {
  readonly requestId: string;
  readonly upstreamModel: string;
  readonly traceHeaders?: Readonly<Record<string, string>>;
  readonly flow: Flow;
  /** Milliseconds. */
  readonly timeouts: { readonly firstToken: number; readonly idle: number; readonly total: number };
  readonly dropped: (parameter: string) => void;
}

/** Sees what an attempt emits before its subscriber does. What it throws is the attempt's error. */
export type AttemptWatch = Partial<Observer<GenerationChunk>>;

/**
 * One call of a provider. It connects pull (providers are generators) with push (Observables), and is the only place
 * that aborts an upstream request. Unsubscribing aborts it at once, also while the provider is idle.
 */
export class Attempt implements Subscribable<GenerationChunk>, Unsubscribable, ChunkObserver {
  readonly #started = Date.now();
  readonly #onTimer = () => this.#look();
  #timer: NodeJS.Timeout | undefined;
  #abort: AbortController | undefined;
  #pushed: ChunkSubscription | undefined;
  #client!: Observer<GenerationChunk>;
  #chunks = 0;
  #seen = 0;
  #ended = false;

  /** @param watch is called like the observer of rxjs's `tap` */
  constructor(
    private readonly provider: ModelProvider,
    private readonly request: GenerationRequest,
    private readonly call: AttemptCall,
    private readonly watch: AttemptWatch = {},
  ) {}

  subscribe(client: Observer<GenerationChunk>): Unsubscribable {
    const { timeouts } = this.call;
    this.#client = client;
    this.#timer = setTimeout(this.#onTimer, Math.min(timeouts.firstToken, timeouts.total));
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

  next(chunk: GenerationChunk): void {
    if (this.#ended) return;
    if (this.#chunks++ === 0 && this.request.stream) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.#onTimer, Math.min(this.call.timeouts.idle, this.#left));
      this.#seen = 1;
    }
    // An empty chunk resets the timeouts, but it is not emitted: another candidate may still answer.
    if (chunk.choices.length === 0 && !chunk.usage && chunk.promptTokens === undefined) return;
    try {
      this.watch.next?.(chunk);
    } catch (error) {
      this.#end();
      this.#cancel();
      this.#client.error(error);
      return;
    }
    this.#client.next(chunk);
  }

  error(error: unknown): void {
    if (this.#ended) return;
    const failure = isProviderError(error) ? error : new ProviderError('bad_response', 'the provider module failed', { cause: error });
    this.#end();
    this.#cancel();
    this.watch.error?.(failure);
    this.#client.error(failure);
  }

  complete(): void {
    if (this.#ended) return;
    this.#end();
    try {
      this.watch.complete?.();
    } catch (error) {
      this.#client.error(error);
      return;
    }
    this.#client.complete();
  }

  #ask(): void {
    const { requestId, upstreamModel, traceHeaders, flow, dropped } = this.call;
    const answer = this.provider.generate(this.request, new CallOfAttempt(this, requestId, upstreamModel, traceHeaders, flow, dropped));
    if (!isPushed(answer)) return void this.#pull(answer);
    this.#pushed = answer.push(this);
    if (this.#ended) this.#pushed.cancel();
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

  // One timer for each call: it checks whether anything came since it last fired, so that a chunk only increments a
  // counter. Silence therefore ends a call after one to two idle timeouts.
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
    this.#pushed?.cancel();
  }
}

/**
 * The call that a provider receives. Most providers push chunks and are cancelled without the signal, so the signal is
 * made when it is first read. It is an own property, so that a copy of the call has it too, with one getter for all
 * calls: V8 keeps a getter of each object in the old generation, and with it everything that the getter can reach,
 * which was all of the request.
 */
class CallOfAttempt implements ProviderCall {
  declare readonly signal: AbortSignal;
  static readonly #signal: PropertyDescriptor & ThisType<CallOfAttempt> = {
    enumerable: true,
    get() {
      return this.#attempt.signal;
    },
  };
  readonly #attempt: Attempt;

  constructor(
    attempt: Attempt,
    readonly requestId: string,
    readonly upstreamModel: string,
    readonly traceHeaders: Readonly<Record<string, string>> | undefined,
    readonly flow: Flow,
    readonly dropped: (parameter: string) => void,
  ) {
    this.#attempt = attempt;
    Object.defineProperty(this, 'signal', CallOfAttempt.#signal);
  }
}
