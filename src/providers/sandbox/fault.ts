import type { Clock } from '../../common/time/clock.js';
import type { GenerationChunk } from '../../wire/generation.js';
import type { ProviderCall } from '../contract/model-provider.js';
import { ProviderError, type ProviderErrorFacts, type ProviderErrorKind } from '../contract/provider-error.js';

/** A failure that a model of the sandbox simulates. */
export type Fault =
  | ({ kind: ProviderErrorKind; message: string } & ProviderErrorFacts)
  /** The first chunk comes late, and all is well from then on. */
  | { kind: 'slow'; firstChunkMs: number }
  /** The response goes silent for ever after some chunks, or at once when it is not streamed. */
  | { kind: 'stall'; afterChunks: number }
  /** The response fails with `bad_response` after some chunks, or at once when it is not streamed. */
  | { kind: 'cut'; afterChunks: number; message: string };

/** Yields the response as the fault leaves it. */
export async function* withFault(
  fault: Fault,
  answer: AsyncIterable<GenerationChunk>,
  call: ProviderCall,
  clock: Clock,
): AsyncGenerator<GenerationChunk> {
  switch (fault.kind) {
    case 'slow':
      await clock.delay(fault.firstChunkMs, { signal: call.signal });
      return yield* answer;
    case 'stall':
      yield* beginning(answer, fault.afterChunks);
      return await aborted(call.signal);
    case 'cut':
      yield* beginning(answer, fault.afterChunks);
      throw new ProviderError('bad_response', fault.message);
    default:
      throw new ProviderError(fault.kind, fault.message, fault);
  }
}

/** Yields the first chunks, but none that finishes a choice. */
async function* beginning(answer: AsyncIterable<GenerationChunk>, count: number): AsyncGenerator<GenerationChunk> {
  let left = count;
  for await (const chunk of answer) {
    if (left-- === 0 || chunk.choices.some((choice) => choice.finish_reason !== null)) return;
    yield chunk;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
