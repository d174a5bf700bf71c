import type { Observer, Unsubscribable } from 'rxjs';
import type { Source } from '../common/source.js';
import type { ByteText } from '../wire/byte-text.js';
import type { GenerationChunk } from '../wire/generation.js';

/** Turns the chunks of one answer into the JSON of its events. */
export interface AnswerEvents {
  next(chunk: GenerationChunk, emit: (event: ByteText) => void): void;
}

/** Zero to two events a chunk. */
export class EventedAnswer implements Source<ByteText>, Observer<GenerationChunk> {
  readonly #emit = (event: ByteText): void => this.#client.next(event);
  #client!: Observer<ByteText>;
  #source: Unsubscribable | undefined;
  #failed = false;

  constructor(
    private readonly chunks: Source<GenerationChunk>,
    private readonly events: AnswerEvents,
  ) {}

  subscribe(client: Observer<ByteText>): Unsubscribable {
    this.#client = client;
    this.#source = this.chunks.subscribe(this);
    if (this.#failed) this.#source.unsubscribe();
    return this.#source;
  }

  next(chunk: GenerationChunk): void {
    if (this.#failed) return;
    try {
      this.events.next(chunk, this.#emit);
    } catch (error) {
      this.#failed = true;
      this.#client.error(error);
      this.#source?.unsubscribe();
    }
  }

  error(error: unknown): void {
    if (!this.#failed) this.#client.error(error);
  }

  complete(): void {
    if (!this.#failed) this.#client.complete();
  }
}
