import { setTimeout as delay } from 'node:timers/promises';
import type { GenerationChunk } from '../../wire/generation.js';
import type { ProviderCall } from '../model-provider.js';
import { ProviderError, type ProviderErrorFacts, type ProviderErrorKind } from '../provider-error.js';

/** What goes wrong, on purpose. */
export type Fault =
  | ({ kind: ProviderErrorKind; message: string } & ProviderErrorFacts)
  /** Nothing happens for a while, then all is well. */
  | { kind: 'slow'; firstChunkMs: number }
  /** Goes silent for ever after some chunks; unstreamed, at once. */
  | { kind: 'stall'; afterChunks: number }
  /** Fails with `bad_response` after some chunks; unstreamed, at once. */
  | { kind: 'cut'; afterChunks: number; message: string };

/** The answer as the fault leaves it. */
export async function* withFault(
  fault: Fault,
  answer: AsyncIterable<GenerationChunk>,
  call: ProviderCall,
): AsyncGenerator<GenerationChunk> {
  switch (fault.kind) {
    case 'slow':
      await delay(fault.firstChunkMs, undefined, { signal: call.signal });
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

/** The first chunks, but nothing that finishes a choice. */
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
