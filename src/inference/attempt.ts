import { Observable } from 'rxjs';
import type { Flow, ModelProvider } from '../providers/model-provider.js';
import { isProviderError, ProviderError } from '../providers/provider-error.js';
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

/**
 * One call of a provider as an Observable: the bridge between pull (providers are generators) and push (everything behind them), and the only
 * place that aborts an upstream. Unsubscribing aborts at once, also while the provider is idle, which `from(asyncIterable)` does not.
 */
export function attempt(provider: ModelProvider, request: GenerationRequest, call: AttemptCall): Observable<GenerationChunk> {
  return new Observable((subscriber) => {
    const abort = new AbortController();
    const { flow } = call;
    let chunks = 0;
    let seen = 0;
    let ended = false;

    // One timer a call: it looks whether anything came since it last fired, so that a chunk costs a counter and nothing else.
    // Silence therefore ends a call after one to two idle times.
    const started = Date.now();
    const onTimer = (): void => {
      const left = started + call.timeouts.total - Date.now();
      if (left <= 0) return fail(new ProviderError('timeout', 'total time exceeded'));
      if (chunks === seen && !flow.paused) {
        return fail(new ProviderError('timeout', chunks === 0 ? 'no first token in time' : 'silence in mid-stream'));
      }
      seen = chunks;
      timer = setTimeout(onTimer, Math.min(call.timeouts.idle, left));
    };
    let timer = setTimeout(onTimer, Math.min(call.timeouts.firstToken, call.timeouts.total));

    const fail = (error: unknown): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      abort.abort();
      subscriber.error(error);
    };

    const run = async (): Promise<void> => {
      try {
        const upstream = provider.generate(request, {
          signal: abort.signal,
          requestId: call.requestId,
          upstreamModel: call.upstreamModel,
          traceHeaders: call.traceHeaders,
          flow,
          dropped: call.dropped,
        });
        for await (const chunk of upstream) {
          if (ended) return;
          if (chunks++ === 0) {
            clearTimeout(timer);
            timer = setTimeout(onTimer, Math.min(call.timeouts.idle, started + call.timeouts.total - Date.now()));
            seen = 1;
          }
          // A sign of life holds the timers off and is nothing to go on with: another candidate may still answer.
          if (chunk.choices.length === 0 && !chunk.usage && chunk.promptTokens === undefined) continue;
          subscriber.next(chunk);
          if (flow.paused) await flow.ready();
        }
        if (ended) return;
        ended = true;
        clearTimeout(timer);
        subscriber.complete();
      } catch (error) {
        fail(isProviderError(error) ? error : new ProviderError('bad_response', 'the provider module failed', { cause: error }));
      }
    };
    void run();

    return () => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      abort.abort();
    };
  });
}
