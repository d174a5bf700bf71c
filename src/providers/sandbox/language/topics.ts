import { type Document, marker, type Turn } from './documents.js';
import type { Vocabulary } from './vocabulary.js';

/** How much of the earlier topic a new turn keeps. */
const KEPT_BY_NEXT_TURN = 0.4;
/** The weight of a document that has nothing to do with the topic; the closest one has 1. */
const OFF_TOPIC = 0.0007;
/** How much more a word says about a document when the document's question contains it. */
const QUESTION = 3;
/** The score of the closest document from which on its topic is believed. */
const CONVINCING = 2;

/** An inverted index for TopicMemory: which documents contain which words. */
export class TopicIndex {
  readonly documentCount: number;
  /** The letters of each token in lower case; empty for tokens without letters. */
  readonly letters: readonly string[];
  /** Whether a token begins a word, or ends one because it has no letters. */
  readonly breaks: readonly boolean[];
  readonly #postings = new Map<string, { document: number; weight: number }[]>();

  constructor(vocabulary: Vocabulary, documents: readonly Document[]) {
    this.documentCount = documents.length;
    const texts = vocabulary.texts.map((text = '') => text.toLowerCase());
    this.letters = texts.map((text) => text.replaceAll(/[^\p{L}]/gu, ''));
    this.breaks = texts.map((text, id) => text.startsWith(' ') || this.letters[id] === '');

    const stems = documents.map(stemsOf);
    const asked = documents.map((document) => stemsOf(document.filter((turn) => turn.marker === marker.user)));
    const frequency = new Map<string, number>();
    for (const set of stems) for (const one of set) frequency.set(one, (frequency.get(one) ?? 0) + 1);
    const rarity = (one: string) => Math.log(documents.length / frequency.get(one)!) ** 2;
    const averageSize = stems.reduce((sum, set) => sum + set.size, 0) / stems.length;
    stems.forEach((set, document) => {
      const length = 0.5 + 0.5 * (set.size / averageSize);
      for (const one of set) {
        const emphasis = asked[document]!.has(one) ? QUESTION : 1;
        const posting = { document, weight: (emphasis * rarity(one)) / length };
        const found = this.#postings.get(one);
        if (found) found.push(posting);
        else this.#postings.set(one, [posting]);
      }
    });
  }

  postings(word: string): readonly { document: number; weight: number }[] {
    return this.#postings.get(stem(word)) ?? [];
  }
}

export function stemsOf(turns: readonly Pick<Turn, 'text'>[]): Set<string> {
  return new Set(turns.flatMap((turn) => turn.text.toLowerCase().match(/\p{L}+/gu) ?? []).map(stem));
}

/** A crude stemmer, which brings `rains` and `rain`, or `weather` and `weathers`, together. */
export function stem(word: string): string {
  return word.replace(/(?<=\p{L}{3})s$/u, '').slice(0, 6);
}

/** What a text has been about so far: a weight for each document of the corpus, from the words that were read. */
export class TopicMemory {
  readonly #scores: Float64Array;
  readonly #weights: Float64Array;
  #word = '';
  #stale = true;

  constructor(
    private readonly index: TopicIndex,
    from?: TopicMemory,
  ) {
    this.#scores = from ? from.#scores.slice() : new Float64Array(index.documentCount);
    this.#weights = new Float64Array(index.documentCount);
    this.#word = from ? from.#word : '';
  }

  copy(): TopicMemory {
    return new TopicMemory(this.index, this);
  }

  read(token: number): void {
    if (this.index.breaks[token]!) this.#endWord();
    this.#word += this.index.letters[token]!;
  }

  /** Reads text that stands elsewhere, without a break in the word that is being read. */
  readAside(tokens: readonly number[]): void {
    const word = this.#word;
    this.#word = '';
    for (const token of tokens) this.read(token);
    this.#endWord();
    this.#word = word;
  }

  nextTurn(): void {
    this.#endWord();
    for (let i = 0; i < this.#scores.length; i++) this.#scores[i]! *= KEPT_BY_NEXT_TURN;
    this.#stale = true;
  }

  /** The weight of each document, in (0, 1]; 1 for all of them while nothing is known. Valid until the next read. */
  weights(): Float64Array {
    if (!this.#stale) return this.#weights;
    let max = 0;
    for (const score of this.#scores) if (score > max) max = score;
    const doubt = Math.exp(-max / CONVINCING);
    for (let i = 0; i < this.#scores.length; i++) {
      const closeness = max > 0 ? this.#scores[i]! / max : 1;
      this.#weights[i] = doubt + (1 - doubt) * (OFF_TOPIC + (1 - OFF_TOPIC) * closeness * closeness);
    }
    this.#stale = false;
    return this.#weights;
  }

  #endWord(): void {
    if (this.#word === '') return;
    for (const { document, weight } of this.index.postings(this.#word)) {
      this.#scores[document]! += weight;
      this.#stale = true;
    }
    this.#word = '';
  }
}
