import { Observable, type OperatorFunction } from 'rxjs';
import type { ByteText } from '../wire/byte-text.js';
import type { GenerationChunk } from '../wire/generation.js';

/** Turns the chunks of one answer into the JSON of its events. */
export interface AnswerEvents {
  next(chunk: GenerationChunk, emit: (event: ByteText) => void): void;
}

/** Zero to two events a chunk, without the array and the inner subscription that mergeMap would cost each of them. */
export function toEvents(events: AnswerEvents): OperatorFunction<GenerationChunk, ByteText> {
  return (chunks) =>
    new Observable((subscriber) => {
      const emit = (event: ByteText): void => subscriber.next(event);
      return chunks.subscribe({
        next: (chunk) => {
          try {
            events.next(chunk, emit);
          } catch (error) {
            subscriber.error(error);
          }
        },
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}
