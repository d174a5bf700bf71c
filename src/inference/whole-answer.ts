import type { Observer, Unsubscribable } from 'rxjs';
import type { Source } from '../common/source.js';
import type { GenerationChunk } from '../wire/generation.js';
import { accumulate } from './accumulate.js';
import type { AnswerEnvelope } from './event-envelope.js';

/** Gathers the chunks of one answer, and gives what they come to when they are all there. */
export class WholeAnswer<T> implements Source<T>, Observer<GenerationChunk> {
  readonly #pieces: GenerationChunk[] = [];
  #client!: Observer<T>;

  /** @param make what an answer in this envelope comes to */
  constructor(
    private readonly chunks: Source<GenerationChunk>,
    private readonly envelope: AnswerEnvelope,
    private readonly make: (envelope: AnswerEnvelope, whole: GenerationChunk) => T,
  ) {}

  subscribe(client: Observer<T>): Unsubscribable {
    this.#client = client;
    return this.chunks.subscribe(this);
  }

  next(chunk: GenerationChunk): void {
    this.#pieces.push(chunk);
  }

  error(error: unknown): void {
    this.#client.error(error);
  }

  complete(): void {
    let answer: T;
    try {
      answer = this.make(this.envelope, accumulate(this.#pieces));
    } catch (error) {
      this.#client.error(error);
      return;
    }
    this.#client.next(answer);
    this.#client.complete();
  }
}
