import { Observable, type Observer, type OperatorFunction } from 'rxjs';
import type { ByteText } from '../wire/byte-text.js';
import type { GenerationChunk } from '../wire/generation.js';

/** Turns the chunks of one answer into the JSON of its events. */
export interface AnswerEvents {
  next(chunk: GenerationChunk, emit: (event: ByteText) => void): void;
}

/** Zero to two events a chunk, without the array and the inner subscription that mergeMap would cost each of them. */
export function toEvents(events: AnswerEvents): OperatorFunction<GenerationChunk, ByteText> {
  return (chunks) => new Observable((client) => chunks.subscribe(new EventedAnswer(client, events)));
}

class EventedAnswer implements Observer<GenerationChunk> {
  readonly #emit = (event: ByteText): void => this.client.next(event);

  constructor(
    private readonly client: Observer<ByteText>,
    private readonly events: AnswerEvents,
  ) {}

  next(chunk: GenerationChunk): void {
    try {
      this.events.next(chunk, this.#emit);
    } catch (error) {
      this.client.error(error);
    }
  }

  error(error: unknown): void {
    this.client.error(error);
  }

  complete(): void {
    this.client.complete();
  }
}
