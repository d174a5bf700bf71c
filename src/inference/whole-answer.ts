import { Observable, type OperatorFunction } from 'rxjs';
import type { GenerationChunk } from '../wire/generation.js';
import { accumulate } from './accumulate.js';

/** Gathers the chunks of one answer, and gives what they come to when they are all there. */
export function toWhole<T>(make: (whole: GenerationChunk) => T): OperatorFunction<GenerationChunk, T> {
  return (chunks) =>
    new Observable((subscriber) => {
      const pieces: GenerationChunk[] = [];
      return chunks.subscribe({
        next: (chunk) => pieces.push(chunk),
        error: (error: unknown) => subscriber.error(error),
        complete: () => {
          try {
            subscriber.next(make(accumulate(pieces)));
            subscriber.complete();
          } catch (error) {
            subscriber.error(error);
          }
        },
      });
    });
}
