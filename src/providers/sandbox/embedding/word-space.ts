import { corpus } from '../corpus/corpus.js';
import { readDocuments } from '../language/documents.js';
import { stem, stemsOf } from '../language/topics.js';
import { addSigns } from './signs.js';

/** Numbers of a vector of the space. */
export const DIMENSIONS = 256;

/** The length of what a word shares with the documents that it is in, and of what it is by itself. */
const DOCUMENTS = 0.6;
const ITSELF = 0.4;
/** That of the subjects that it belongs to, where it belongs to one alone. */
const SUBJECTS = 1.5;

/** Vectors of words that are kept; each takes a kilobyte. */
const CACHED_WORDS = 4_096;

/** How often a stem occurs. */
interface Occurrences {
  readonly documents: number[];
  /** By the sources of the corpus, each of which has a subject: the share of its documents. */
  readonly sources: Float32Array;
}

/**
 * Words as vectors (reflective random indexing: Cohen, Schvaneveldt and Widdows 2010). Each stem has random signs, a
 * document of the corpus is the sum of its stems, rare ones more, and a word is the sum of its documents and of the
 * sources that they are in. Words of the same subject so lie close together, and words that the corpus does not have lie
 * apart from all others.
 */
export class WordSpace {
  readonly #documents: readonly Float32Array[];
  readonly #sources = corpus.map((_, source) => withSigns(`source ${source}`, 1));
  readonly #occurrences = new Map<string, Occurrences>();
  readonly #cache = new Map<string, Float32Array>();

  constructor() {
    const documents: ReadonlySet<string>[] = [];
    corpus.forEach((text, source) => {
      const own = readDocuments(text).map(stemsOf);
      for (const stems of own) {
        for (const one of stems) this.#count(one, documents.length, source, 1 / own.length);
        documents.push(stems);
      }
    });
    const vectors = documents.map((stems) => {
      const sum = new Float32Array(DIMENSIONS);
      for (const one of stems) addSigns(sum, one, this.#rarity(one, documents.length));
      return normalized(sum);
    });
    // What all documents have in common tells nothing of a word.
    const mean = new Float32Array(DIMENSIONS);
    for (const vector of vectors) add(mean, vector, 1 / vectors.length);
    for (const vector of vectors) add(vector, mean, -1);
    this.#documents = vectors.map((vector) => normalized(vector));
  }

  /** The vector of a word in any case; the rarer the word, the longer. */
  vectorOf(word: string): Float32Array {
    const stemmed = stem(word.toLowerCase());
    const known = this.#cache.get(stemmed);
    if (known) return known;
    const vector = this.#make(stemmed);
    if (this.#cache.size >= CACHED_WORDS) this.#cache.clear();
    this.#cache.set(stemmed, vector);
    return vector;
  }

  #count(stemmed: string, document: number, source: number, share: number): void {
    let found = this.#occurrences.get(stemmed);
    if (!found) this.#occurrences.set(stemmed, (found = { documents: [], sources: new Float32Array(corpus.length) }));
    found.documents.push(document);
    found.sources[source]! += share;
  }

  /** How much a word says: nothing where every document has it. */
  #rarity(stemmed: string, documents: number): number {
    return Math.log(documents / (this.#occurrences.get(stemmed)?.documents.length ?? 1));
  }

  #make(stemmed: string): Float32Array {
    const vector = new Float32Array(DIMENSIONS);
    const found = this.#occurrences.get(stemmed);
    if (found) {
      for (const document of found.documents) add(vector, this.#documents[document]!, 1);
      normalized(vector, DOCUMENTS);
      const all = found.sources.reduce((sum, share) => sum + share, 0);
      found.sources.forEach((share, source) => add(vector, this.#sources[source]!, SUBJECTS * (share / all - 1 / corpus.length)));
    }
    add(vector, withSigns(stemmed, ITSELF), 1);
    return normalized(vector, this.#rarity(stemmed, this.#documents.length));
  }
}

export function add(sum: Float32Array, vector: Float32Array, weight: number): void {
  for (let at = 0; at < sum.length; at++) sum[at]! += weight * vector[at]!;
}

/** Gives a vector a length, in place; one of zeros stays as it is. */
export function normalized(vector: Float32Array, length = 1): Float32Array {
  let squares = 0;
  for (const number of vector) squares += number * number;
  if (squares === 0) return vector;
  const factor = length / Math.sqrt(squares);
  for (let at = 0; at < vector.length; at++) vector[at]! *= factor;
  return vector;
}

/** The random signs of a text as a vector of this length. */
function withSigns(text: string, length: number): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  addSigns(vector, text, length / Math.sqrt(DIMENSIONS));
  return vector;
}
