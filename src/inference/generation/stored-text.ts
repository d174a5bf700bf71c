import type { GenerationChunk } from '../../wire/generation.js';
import { accumulate } from '../chunks/accumulate.js';
import { generatedBytes } from '../planning/token-counter.js';

/** Bytes of text after which no more is kept. */
const MAX_BYTES = 64 * 1024;

/** What was answered, for an operator who keeps it: the choices as they would be without a stream. */
export class StoredText {
  #whole: GenerationChunk = { choices: [] };
  #bytes = 0;

  see({ choices }: GenerationChunk): void {
    if (this.#bytes > MAX_BYTES || choices.length === 0) return;
    for (const choice of choices) this.#bytes += generatedBytes(choice);
    this.#whole = accumulate([this.#whole, { choices: choices.map(({ logprobs: _logprobs, ...said }) => said) }]);
  }

  /** JSON. */
  toString(): string {
    return JSON.stringify(this.#whole.choices);
  }
}
