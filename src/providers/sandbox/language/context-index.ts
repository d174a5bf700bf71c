import type { Pacer } from '../pacer.js';
import { marker } from './documents.js';

/** The longest context, in tokens, that the index distinguishes. */
export const CONTEXT_LENGTH = 6;

/** Neighbouring places in the index: `to` is the first one after them. */
export interface PlaceRange {
  from: number;
  to: number;
}

/**
 * Every place of the corpus where a token stands, sorted by what precedes it, last token first. All places with the
 * same last k tokens are neighbours, and those with the same last k+1 tokens lie inside them, so that one walk finds
 * the counts of every order of an n-gram model.
 */
export class ContextIndex {
  private constructor(
    /** The token at each place. */
    readonly tokens: Int32Array,
    /** The index of the document that each place belongs to. */
    readonly documents: Int32Array,
    private readonly contexts: readonly Int32Array[],
  ) {}

  /** @param documents token ids with markers in between; nothing is predicted for markers */
  static async build(documents: readonly (readonly number[])[], pacer: Pacer): Promise<ContextIndex> {
    const padding = Array.from({ length: CONTEXT_LENGTH }, () => marker.nothing);
    const corpus = Int32Array.from(documents.flatMap((document) => [...padding, ...document]));
    const owners = Int32Array.from(documents.flatMap((document, owner) => [...padding, ...document].map(() => owner)));

    const byLastToken = Map.groupBy(
      [...corpus.keys()].filter((place) => corpus[place]! >= 0),
      (place) => corpus[place - 1]!,
    );
    const places: number[] = [];
    for (const token of [...byLastToken.keys()].sort((a, b) => a - b)) {
      if (pacer.due) await pacer.yieldToEventLoop();
      places.push(...byLastToken.get(token)!.sort((a, b) => compareContexts(corpus, a, b)));
    }
    return new ContextIndex(
      Int32Array.from(places, (place) => corpus[place]!),
      Int32Array.from(places, (place) => owners[place]!),
      padding.map((_, depth) => Int32Array.from(places, (place) => corpus[place - 1 - depth]!)),
    );
  }

  /**
   * Fills `ranges[k]` with the places whose last k+1 tokens are those of `history` (most recent first).
   * @returns how many were found, from the shortest context on
   */
  find(history: Int32Array, ranges: readonly PlaceRange[]): number {
    let from = 0;
    let to = this.tokens.length;
    for (let depth = 0; depth < CONTEXT_LENGTH; depth++) {
      const context = this.contexts[depth]!;
      const wanted = history[depth]!;
      from = lowerBound(context, wanted, from, to);
      to = lowerBound(context, wanted + 1, from, to);
      if (from === to) return depth;
      ranges[depth]!.from = from;
      ranges[depth]!.to = to;
    }
    return CONTEXT_LENGTH;
  }

  /** Counts for each token how many different tokens it follows. */
  predecessors(vocabularySize: number): Float64Array {
    const before = this.contexts[0]!;
    const counts = new Float64Array(vocabularySize);
    const lastSeenAfter = new Map<number, number>();
    this.tokens.forEach((token, place) => {
      if (lastSeenAfter.get(token) === before[place]) return;
      lastSeenAfter.set(token, before[place]!);
      counts[token]!++;
    });
    return counts;
  }

  /** Counts how often `token` follows each token of the vocabulary, and how often any token does. */
  followedBy(token: number, vocabularySize: number): { often: Float64Array; inAll: Float64Array } {
    const often = new Float64Array(vocabularySize);
    const inAll = new Float64Array(vocabularySize);
    this.contexts[0]!.forEach((before, place) => {
      if (before < 0) return;
      inAll[before]!++;
      if (this.tokens[place] === token) often[before]!++;
    });
    return { often, inAll };
  }
}

function compareContexts(corpus: Int32Array, a: number, b: number): number {
  for (let back = 1; back <= CONTEXT_LENGTH; back++) {
    const difference = corpus[a - back]! - corpus[b - back]!;
    if (difference !== 0) return difference;
  }
  return a - b;
}

/** The first place in a sorted stretch whose value is not below `value`. */
function lowerBound(sorted: Int32Array, value: number, from: number, to: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (sorted[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
