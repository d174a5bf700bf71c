import { preTokens } from './pre-tokens.js';
import type { Vocabulary } from './vocabulary.js';

const CACHED_PRE_TOKENS = 20_000;

/** Encodes text as token ids without loss: the bytes of the tokens, one after the other, are the text in UTF-8. */
export class Tokenizer {
  readonly #cache = new Map<string, readonly number[]>();

  constructor(readonly vocabulary: Vocabulary) {}

  encode(text: string): number[] {
    const ids: number[] = [];
    for (const preToken of this.encodeByPreToken(text)) ids.push(...preToken);
    return ids;
  }

  /** Yields the token ids of one pre-token after the other, for callers that pause in between. */
  *encodeByPreToken(text: string): Generator<readonly number[]> {
    for (const preToken of preTokens(text)) yield this.#encodePreToken(preToken);
  }

  #encodePreToken(preToken: string): readonly number[] {
    const known = this.#cache.get(preToken);
    if (known) return known;
    const ids = this.#merge([...Buffer.from(preToken)]);
    if (this.#cache.size >= CACHED_PRE_TOKENS) this.#cache.clear();
    this.#cache.set(preToken, ids);
    return ids;
  }

  #merge(ids: number[]): number[] {
    for (;;) {
      let best = Infinity;
      let at = -1;
      for (let i = 1; i < ids.length; i++) {
        const id = this.vocabulary.merged(ids[i - 1]!, ids[i]!) ?? Infinity;
        if (id < best) [best, at] = [id, i - 1];
      }
      if (at < 0) return ids;
      ids.splice(at, 2, best);
    }
  }
}
