import { Observable, type Observer, type OperatorFunction } from 'rxjs';
import type { GenerationChunk } from '../wire/generation.js';
import { accumulate } from './accumulate.js';

/** Gathers the chunks of one answer, and gives what they come to when they are all there. */
export function toWhole<T>(make: (whole: GenerationChunk) => T): OperatorFunction<GenerationChunk, T> {
  return (chunks) => new Observable((client) => chunks.subscribe(new WholeAnswer(client, make)));
}

class WholeAnswer<T> implements Observer<GenerationChunk> {
  readonly #pieces: GenerationChunk[] = [];

  constructor(
    private readonly client: Observer<T>,
    private readonly make: (whole: GenerationChunk) => T,
  ) {}

  next(chunk: GenerationChunk): void {
    this.#pieces.push(chunk);
  }

  error(error: unknown): void {
    this.client.error(error);
  }

  complete(): void {
    try {
      this.client.next(this.make(accumulate(this.#pieces)));
      this.client.complete();
    } catch (error) {
      this.client.error(error);
    }
  }
}
