import { decodeOnce, type DecodedText } from './decoded-text.js';
import { ownOf } from '../../wire/own-members.js';

const removed = '[redacted]';

/** Shorter secrets are placeholders, and would be found inside ordinary words. */
const MIN_SECRET = 4;

/** Characters of a secret that are found wherever they stand together. A shorter secret is found as a whole. */
const PIECE = 8;

/**
 * A word of a secret with white space that is so long is a key, as behind `Bearer`. Shorter ones are ordinary words.
 */
const KEY = 16;

/** How often a text may have been encoded. */
const MAX_DEPTH = 4;

/** A key whose middle is left out, as vendors quote it: `sk-ab***yz`, `sk-ab...yz`, `sk-abXXXXyz`. */
const masked = /(?<![\w-])([\w-]{0,400})(?:\*{2,}|•{2,}|\.{3,}|…|[xX]{4,})([\w-]{0,400})/g;

/**
 * Removes secrets from texts: whole or cut to eight characters or more, as they are or in percent-encoding, escapes of
 * JSON and HTML, hexadecimal and Base64, also one inside another. Of a secret with white space, the whole and its long
 * words are removed. Takes time in proportion to the text.
 */
export class Redactor {
  #pieces: Set<string> | undefined;
  #short: string[] = [];
  /** Secrets of several words, which are found as a whole. */
  #phrases: string[] = [];
  readonly #characters = new Set<string>();

  constructor(private readonly secrets: readonly string[]) {}

  /** Removes secrets, and where a vendor quotes them with a part left out what is there. */
  redact(text: string): string {
    const unmasked = text.replace(masked, (match: string, head: string, tail: string) => {
      const ours = this.secrets.some((secret) => isPart(head, secret.startsWith(head)) || isPart(tail, secret.endsWith(tail)));
      return ours || /[*•]/.test(match) ? removed : match;
    });
    return this.#remove(unmasked, { json: false });
  }

  /** Removes secrets of at least eight characters from a text of JSON, which stays valid. */
  hide(json: string): string {
    return this.#remove(json, { json: true });
  }

  #remove(text: string, { json }: { json: boolean }): string {
    this.#prepare();
    if (this.#pieces!.size + this.#phrases.length === 0 && (json || this.#short.length === 0)) return text;
    let ranges: [start: number, end: number][] = [];
    const raw: DecodedText = { text, starts: undefined };
    const once = decodeOnce(raw, json ? () => true : this.#means);
    // A character of JSON is found only as a whole: a part of its escape would be left.
    if (!json || !once) this.#find(raw, !json, ranges);
    let view = once;
    for (let depth = 1; view && depth <= MAX_DEPTH; depth++) {
      this.#find(view, !json, ranges);
      view = decodeOnce(view, this.#means);
    }
    if (json) ranges = ranges.filter(([start, end]) => !hasQuote(text.slice(start, end)));
    return ranges.length === 0 ? text : withoutRanges(text, ranges);
  }

  #find(view: DecodedText, short: boolean, ranges: [number, number][]): void {
    const { folded, at } = fold(view.text);
    const mark = (from: number, length: number): void => {
      const first = at[from]!;
      const last = at[from + length - 1]!;
      ranges.push(view.starts ? [view.starts[first]!, view.starts[last + 1]!] : [first, last + 1]);
    };
    const pieces = this.#pieces!;
    for (let from = 0; from + PIECE <= folded.length; from++) if (pieces.has(folded.slice(from, from + PIECE))) mark(from, PIECE);
    for (const secret of short ? [...this.#phrases, ...this.#short] : this.#phrases)
      for (let from = folded.indexOf(secret); from >= 0; from = folded.indexOf(secret, from + 1)) mark(from, secret.length);
  }

  /** Whether the character may belong to a secret, or to another encoding of one. */
  readonly #means = (char: string): boolean => ofEncodings.test(char) || this.#characters.has(char);

  #prepare(): void {
    if (this.#pieces) return;
    this.#pieces = new Set();
    for (const secret of new Set(this.secrets)) {
      if (secret.length < MIN_SECRET) continue;
      for (const char of secret + Buffer.from(secret).toString('latin1')) this.#characters.add(char);
      const { folded } = fold(secret);
      const words = secret.split(/\s+/);
      if (words.length > 1) this.#phrases.push(folded, fold(secret.replace(/\s/g, '+')).folded);
      else if (folded.length < PIECE) this.#short.push(folded);
      if (secret.length < PIECE) continue;
      for (const text of encodingsOf(secret)) this.#addPieces(text);
      for (const word of words) if (words.length === 1 || word.length >= KEY) plainForms(word).forEach((form) => this.#addPieces(form));
    }
  }

  #addPieces(form: string): void {
    const { folded } = fold(form);
    for (let from = 0; from + PIECE <= folded.length; from++) this.#pieces!.add(folded.slice(from, from + PIECE));
  }
}

function plainForms(secret: string): string[] {
  return [secret, Buffer.from(secret).toString('latin1')];
}

/** What hexadecimal and Base64 make of a secret wherever in a longer text it begins. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [bytes.toString('hex'), ...[0, 1, 2].map((before) => base64Within(bytes, before))];
}

/** The characters of the Base64 that depend on `bytes` alone, where `before` other bytes precede them. */
function base64Within(bytes: Buffer, before: number): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return text.slice(Math.ceil((8 * before) / 6), Math.floor((8 * (before + bytes.length)) / 6));
}

/**
 * Makes texts equal that differ in case, in the alphabet of Base64, or in characters that nobody sees.
 * @returns `at`: for each character of the folded text its index in the given one
 */
function fold(text: string): { folded: string; at: number[] } {
  const at: number[] = [];
  let folded = '';
  for (let index = 0; index < text.length; index++) {
    const char = text[index]!;
    if (invisible.test(char)) continue;
    folded += ownOf(alike, char) ?? (char > '\u007f' ? char : char.toLowerCase());
    at.push(index);
  }
  return { folded, at };
}

const invisible = /[\u0000-\u001f\u007f\u00ad\u200b-\u200f\u2028\u2029\u2060\ufeff]/; // eslint-disable-line no-control-regex
const ofEncodings = /[\w%\\&#;{}+/=\t\r\n\u00ad\u200b-\u200f\u2028\u2029\u2060\ufeff-]/; // eslint-disable-line no-control-regex
const alike: Readonly<Record<string, string>> = { '-': '+', _: '/' };

/** Whether a text of JSON ends or begins there. */
function hasQuote(json: string): boolean {
  return json.replace(/\\./gs, '').includes('"');
}

/** A part of one character says nothing about a key. */
function isPart(text: string, matches: boolean): boolean {
  return text.length > 1 && matches;
}

function withoutRanges(text: string, ranges: [start: number, end: number][]): string {
  ranges.sort(([a], [b]) => a - b);
  let result = '';
  let end = 0;
  for (const [from, to] of ranges) {
    if (from > end || (end === 0 && result === '')) result += text.slice(end, from) + removed;
    end = Math.max(end, to);
  }
  return result + text.slice(end);
}
