import type { Observer } from 'rxjs';
import type { GenerationChunk } from '../../wire/generation.js';
import { accumulate } from '../../wire/accumulate.js';

/** Gathers the chunks of a generation, and hands on all of them together. */
export class WholeAnswer implements Observer<GenerationChunk> {
  readonly #chunks: GenerationChunk[] = [];

  constructor(
    private readonly resolve: (whole: GenerationChunk) => void,
    readonly error: (error: unknown) => void,
  ) {}

  next(chunk: GenerationChunk): void {
    this.#chunks.push(chunk);
  }

  complete(): void {
    const [answer, end] = this.#chunks;
    // Most answers come in one chunk, and behind it their usage.
    if (this.#chunks.length !== 2 || answer!.choices.length !== 1) return this.resolve(accumulate(this.#chunks));
    this.resolve({ choices: answer!.choices, usage: end!.usage, extra: answer!.extra });
  }
}
