import type { GenerationChunk } from '../../wire/generation.js';
import { accumulate } from '../../wire/accumulate.js';
import { generatedBytes } from '../planning/token-counter.js';

/** Bytes of text after which no more is stored. */
const MAX_BYTES = 64 * 1024;

/** The text of a generation, for an operator who stores texts: the choices as they would be without a stream. */
export class StoredText {
  #whole: GenerationChunk = { choices: [] };
  #bytes = 0;

  see({ choices }: GenerationChunk): void {
    if (this.#bytes > MAX_BYTES || choices.length === 0) return;
    for (const choice of choices) this.#bytes += generatedBytes(choice);
    this.#whole = accumulate([this.#whole, { choices: choices.map(({ logprobs: _logprobs, ...choice }) => choice) }]);
  }

  /** @returns the JSON of the choices */
  toString(): string {
    return JSON.stringify(this.#whole.choices);
  }
}
