import { pieces } from './pieces.js';
import type { Vocabulary } from './vocabulary.js';

const CACHED_PIECES = 20_000;

/** Text to token ids and back, without loss: the bytes of the tokens, one after the other, are the text in UTF-8. */
export class Tokenizer {
  readonly #cache = new Map<string, readonly number[]>();

  constructor(readonly vocabulary: Vocabulary) {}

  encode(text: string): number[] {
    const ids: number[] = [];
    for (const piece of this.pieces(text)) ids.push(...piece);
    return ids;
  }

  /** The same, piece by piece, for callers that pause in between. */
  *pieces(text: string): Generator<readonly number[]> {
    for (const piece of pieces(text)) yield this.#encodePiece(piece);
  }

  #encodePiece(piece: string): readonly number[] {
    const known = this.#cache.get(piece);
    if (known) return known;
    const ids = this.#merge([...Buffer.from(piece)]);
    if (this.#cache.size >= CACHED_PIECES) this.#cache.clear();
    this.#cache.set(piece, ids);
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
