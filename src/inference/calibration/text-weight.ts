import { densePlaces } from './dense-text.js';

/** UTF-16 code units of one slice of a text that is looked at. */
const SLICE = 64;

/** UTF-8 bytes of weight 1 in a text that was not looked at. */
const BYTES_EACH = 6;

/** What a character is to a tokenizer. */
const Kind = { Space: 0, Lower: 1, Upper: 2, Digit: 3, Mark: 4, Other: 5 } as const;

/** The first character after the Latin letters. */
const BEYOND_LATIN = 0x250;

/** Tokens of one character beyond Latin, by what vocabularies in use make of them: alphabets, then CJK and the rest. */
const ALPHABET = 0.3;
const IDEOGRAPH = 0.6;

/** About how many tokens a text has: of Latin letters, digits and marks, and of other scripts. */
interface Weight {
  readonly latin: number;
  readonly other: number;
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return Kind.Lower;
  if (code <= 32) return Kind.Space;
  if (code >= 65 && code <= 90) return Kind.Upper;
  if (code >= 48 && code <= 57) return Kind.Digit;
  if (code < 128) return Kind.Mark;
  return code >= 0xc0 && code < BEYOND_LATIN ? Kind.Lower : Kind.Other;
}

/** The kinds of Latin characters: to look one up takes 60 % of the time of finding it (measured over a prompt). */
const kinds = Uint8Array.from({ length: BEYOND_LATIN }, (_, code) => kindOf(code));

/**
 * The weight of a text of which only slices are looked at: about how many tokens it has. Tokenizers split a text into
 * words, numbers and runs of marks first, and these into pieces. It is right for no tokenizer; what a model's own
 * counts are to it hardly depends on the kind of text, so that it can be learned.
 */
export class SampledWeight {
  #bytes = 0;
  #latin = 0;
  #other = 0;
  #dense = 0;

  /** @param dense whether `densePlaces` are wanted, which take as long as the weight */
  constructor(private readonly dense: boolean) {}

  /** UTF-8 bytes that were looked at. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Looks at `slices` slices of a text, evenly spread. */
  see(text: string, slices: number): void {
    if (text.length <= SLICE * slices) this.#add(text, 0, text.length);
    else {
      const step = (text.length - SLICE) / Math.max(1, slices - 1);
      for (let slice = 0; slice < slices; slice++) {
        const from = Math.floor(slice * step);
        this.#add(text, from, from + SLICE);
      }
    }
  }

  /** The weight of so many UTF-8 bytes of such text. */
  of(bytes: number): Weight {
    if (this.#bytes === 0) return { latin: bytes / BYTES_EACH, other: 0 };
    const share = bytes / this.#bytes;
    return { latin: share * this.#latin, other: share * this.#other };
  }

  /** Tokens of so many UTF-8 bytes, at so many a weight. */
  tokens(bytes: number, latin: number, other: number): number {
    if (this.#bytes === 0) return (bytes / BYTES_EACH) * latin;
    return (bytes / this.#bytes) * (this.#latin * latin + this.#other * other);
  }

  /** Places of so many UTF-8 bytes at which they are no text of words. */
  densePlaces(bytes: number): number {
    return this.#bytes === 0 ? 0 : (bytes / this.#bytes) * this.#dense;
  }

  #add(text: string, from: number, to: number): void {
    if (this.dense) this.#dense += densePlaces(text, from, to);
    let [weight, other, bytes] = [0, 0, to - from];
    let last: number = Kind.Space;
    let run = 0;
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      // A half of a surrogate pair is two of its four bytes.
      if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
      const kind = code < BEYOND_LATIN ? kinds[code]! : Kind.Other;
      if (kind === Kind.Other) {
        other += code < 0x2000 ? ALPHABET : IDEOGRAPH;
        run = 0;
      } else if (kind === last || (kind === Kind.Lower && last === Kind.Upper)) {
        run++;
        // Words of more than five letters are several pieces more often than not; numbers are cut after three digits.
        if (kind === Kind.Digit) weight += 0.33;
        else if (kind === Kind.Mark) weight += 0.25;
        else if (kind === Kind.Space) weight += run > 1 ? 0 : 0.5;
        else if (run > 5) weight += 0.2;
      } else {
        run = 1;
        // A single space is part of the word behind it.
        if (kind !== Kind.Space) weight += kind === Kind.Digit ? 0.67 : kind === Kind.Mark ? 0.75 : 1;
      }
      last = kind;
    }
    this.#latin += weight;
    this.#other += other;
    this.#bytes += bytes;
  }
}
