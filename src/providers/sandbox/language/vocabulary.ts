import { isUtf8 } from 'node:buffer';
import type { Pacer } from '../pacer.js';
import { preTokens } from './pre-tokens.js';

/** The token that ends a text or a turn, the only one without bytes. */
export const END = 256;
const END_LABEL = '<|end|>';

/** Pairs that occur less often than this become no token. */
const MIN_PAIR_COUNT = 2;
const MAX_SIZE = 8192;

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The tokens, which are byte strings: 0 to 255 are the bytes themselves, so that any text can be written. */
export class Vocabulary {
  readonly size: number;
  /** The text of each token by id; undefined for tokens that are only a part of a character. */
  readonly texts: readonly (string | undefined)[];
  /**
   * The name of each token in log probabilities, by id: its text, or its bytes as `bytes:\\xe2\\x82`. No two tokens
   * share a name.
   */
  readonly labels: readonly string[];
  /** Whether each token, by id, has a letter, a digit or a sign that can be seen. */
  readonly visible: readonly boolean[];
  readonly #merges: ReadonlyMap<number, number>;

  /** @param merges which token two neighbours become, by `pairKey` */
  constructor(
    readonly bytes: readonly Uint8Array[],
    merges: ReadonlyMap<number, number>,
  ) {
    this.#merges = merges;
    this.size = bytes.length;
    this.texts = bytes.map((one) => (isUtf8(one) ? Buffer.from(one).toString() : undefined));
    this.labels = this.texts.map((text, id) => (id === END ? END_LABEL : (text ?? bytesLabel(bytes[id]!))));
    this.visible = this.texts.map((text = '') => VISIBLE.test(text));
  }

  /** The token that two neighbours become, if any. Lower ids are merged first. */
  merged(left: number, right: number): number | undefined {
    return this.#merges.get(pairKey(left, right));
  }
}

const bytesLabel = (bytes: Uint8Array) => `bytes:${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}`;

const pairKey = (left: number, right: number) => left * MAX_SIZE + right;

/**
 * Byte pair encoding: makes a token of the most frequent pair of neighbours, again and again. The same texts give the
 * same vocabulary.
 */
export async function learnVocabulary(texts: readonly string[], pacer: Pacer): Promise<Vocabulary> {
  const words = await countWords(texts, pacer);
  const pairs = new PairCounts();
  for (const [index, word] of words.entries()) {
    if (pacer.due) await pacer.yieldToEventLoop();
    pairs.add(word, index);
  }
  pairs.enqueue(words);

  const bytes: Uint8Array[] = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  bytes[END] = new Uint8Array(0);
  const merges = new Map<number, number>();
  const known = new Map<string, number>();

  for (let pair = pairs.take(); pair !== undefined && bytes.length < MAX_SIZE; pair = pairs.take()) {
    if (pacer.due) await pacer.yieldToEventLoop();
    const [left, right] = [Math.floor(pair / MAX_SIZE), pair % MAX_SIZE];
    const merged = Buffer.concat([bytes[left]!, bytes[right]!]);
    // Two ways of putting the same bytes together, (in,g) and (i,ng), make one token.
    const id = known.get(merged.toString('latin1')) ?? bytes.push(merged) - 1;
    known.set(merged.toString('latin1'), id);
    merges.set(pair, id);
    const changed = pairs.wordsWith(pair);
    for (const index of changed) {
      const word = words[index]!;
      pairs.remove(word);
      word.symbols = mergeAll(word.symbols, left, right, id);
      pairs.add(word, index);
    }
    pairs.enqueue(changed.map((index) => words[index]!));
  }
  return new Vocabulary(bytes, merges);
}

interface Word {
  symbols: number[];
  readonly count: number;
}

async function countWords(texts: readonly string[], pacer: Pacer): Promise<Word[]> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    if (pacer.due) await pacer.yieldToEventLoop();
    for (const preToken of preTokens(text)) counts.set(preToken, (counts.get(preToken) ?? 0) + 1);
  }
  return [...counts].map(([preToken, count]) => ({ symbols: [...Buffer.from(preToken)], count }));
}

function mergeAll(symbols: readonly number[], left: number, right: number, id: number): number[] {
  const merged: number[] = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols[i] === left && symbols[i + 1] === right) {
      merged.push(id);
      i++;
    } else merged.push(symbols[i]!);
  }
  return merged;
}

/**
 * Counts how often each pair occurs and in which words. Counts of new pairs never exceed the last maximum, so that
 * buckets by count make the queue.
 */
class PairCounts {
  readonly #counts = new Map<number, number>();
  readonly #words = new Map<number, Set<number>>();
  readonly #buckets: number[][] = [];

  add(word: Word, index: number): void {
    for (let i = 1; i < word.symbols.length; i++) {
      const pair = pairKey(word.symbols[i - 1]!, word.symbols[i]!);
      this.#counts.set(pair, (this.#counts.get(pair) ?? 0) + word.count);
      const found = this.#words.get(pair);
      if (found) found.add(index);
      else this.#words.set(pair, new Set([index]));
    }
  }

  remove(word: Word): void {
    for (let i = 1; i < word.symbols.length; i++) {
      const pair = pairKey(word.symbols[i - 1]!, word.symbols[i]!);
      this.#counts.set(pair, this.#counts.get(pair)! - word.count);
    }
  }

  /** Puts the pairs of these words into the queue, at their present counts. */
  enqueue(words: Iterable<Word>): void {
    const seen = new Set<number>();
    for (const { symbols } of words) for (let i = 1; i < symbols.length; i++) seen.add(pairKey(symbols[i - 1]!, symbols[i]!));
    for (const pair of seen) this.#enqueue(pair);
  }

  wordsWith(pair: number): number[] {
    return [...(this.#words.get(pair) ?? [])];
  }

  /** Takes the most frequent pair out of the queue. */
  take(): number | undefined {
    while (this.#buckets.length > MIN_PAIR_COUNT) {
      const level = this.#buckets.length - 1;
      const pair = this.#buckets[level]?.pop();
      if (pair === undefined) this.#buckets.pop();
      else if (this.#counts.get(pair) === level) return pair;
      else this.#enqueue(pair);
    }
    return undefined;
  }

  #enqueue(pair: number): void {
    const count = this.#counts.get(pair)!;
    if (count >= MIN_PAIR_COUNT) (this.#buckets[count] ??= []).push(pair);
  }
}
