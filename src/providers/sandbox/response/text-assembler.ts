import type { Vocabulary } from '../language/vocabulary.js';

/**
 * Joins tokens to text. A token may end inside a character; its bytes then wait for the rest, so that only whole
 * characters come out.
 */
export class TextAssembler {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #open = false;

  constructor(private readonly vocabulary: Vocabulary) {}

  /** @returns the text that this token completes */
  push(token: number): string {
    const text = this.vocabulary.texts[token];
    if (text !== undefined && !this.#open) return text;
    this.#open = text === undefined;
    return this.#decoder.decode(this.vocabulary.bytes[token], { stream: true });
  }

  /** @returns what is left of a character that was never finished, as U+FFFD */
  end(): string {
    return this.#decoder.decode();
  }
}
