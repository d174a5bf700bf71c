import type { Random } from '../torture/random.ts';

/** Texts whose tokens have different lengths, as a real tokenizer finds them. */
const kinds = [
  { words: ['the', 'morning', 'was', 'clear', 'and', 'everybody', 'went', 'outside', 'again'], bytesAToken: 4.4 },
  { words: ['const', 'value', '=>', '{', 'return', 'index', '+', '1', '}', ';'], bytesAToken: 3.2 },
  { words: ['die', 'Geschwindigkeit', 'ist', 'überall', 'gleich', 'und', 'bleibt', 'es'], bytesAToken: 3.6 },
  { words: ['天气', '很好', '我们', '出去', '散步', '今天'], bytesAToken: 3.1 },
] as const;

export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** Words of one kind of text and their tokens, about so many. */
export function* wordsOf(random: Random, tokens: number): Generator<Piece> {
  const { words, bytesAToken } = random.pick(kinds);
  let [bytes, counted] = [0, 0];
  while (counted < tokens) {
    const text = `${random.pick(words)} `;
    bytes += Buffer.byteLength(text);
    // What is left of a word is part of the next one's tokens.
    const now = Math.round(bytes / bytesAToken) - counted;
    counted += now;
    yield { text, tokens: now };
  }
}

export const promptOf = (random: Random, tokens: number): string => Array.from(wordsOf(random, tokens), ({ text }) => text).join('');
