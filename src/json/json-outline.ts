import { randomBytes } from 'node:crypto';
import { type LongText, putLongText } from './long-text.js';
import { join, type BufferList } from './buffer-list.js';
import { escapesOf } from './plain-text.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes of a string from which on it costs less to leave it where it is. */
const LONG = 4 * 1024;

/** Short strings in a row after which no long one is looked for, unless FAR is left: to step over them costs more than to parse them. */
const PATIENCE = 64;
/** Bytes of which a long string among them would be worth the search. */
const FAR = 256 * 1024;

/** Begins what stands for a long string. Nobody outside knows it, so that no client can write it. */
const MARK = randomBytes(12).toString('base64url');

/** JSON of which the long strings were left out. */
export interface JsonOutline {
  /** The JSON with a short string for each long one; valid if, and only if, all of it is. */
  readonly json: Buffer;
  readonly texts: readonly LongText[];
  /** Where a byte of `json` that is not in a string lies in the whole. */
  offsetOf(at: number): number;
}

/** @param whole anything; what is not valid JSON in it is left in the outline, for JSON.parse to find */
export function outlineOf(whole: BufferList): JsonOutline {
  const parts: Buffer[] = [];
  const texts: LongText[] = [];
  const cuts: { readonly at: number; readonly shift: number }[] = [];
  let length = 0;
  let kept = 0;
  let short = 0;
  const keep = (to: number): void => {
    parts.push(...whole.slice(kept, to));
    length += to - kept;
  };
  for (let open = whole.indexOf(QUOTE, 0); open >= 0;) {
    const close = endOfString(whole, open);
    if (close < 0) break;
    const text = close - open > LONG ? longTextOf(whole.slice(open + 1, close)) : undefined;
    if (text) {
      keep(open + 1);
      const mark = Buffer.from(`${MARK}${texts.length}`);
      parts.push(mark);
      texts.push(text);
      length += mark.length;
      kept = close;
      short = 0;
      cuts.push({ at: length, shift: close - length });
    } else if (++short > PATIENCE && whole.length - close < FAR) break;
    open = whole.indexOf(QUOTE, close + 1);
  }
  keep(whole.length);
  return {
    json: join(parts, length),
    texts,
    offsetOf: (at) => at + (cuts.findLast((cut) => cut.at <= at)?.shift ?? 0),
  };
}

/**
 * Puts the long strings in their places in what was parsed from an outline.
 * @returns false where one has none: it was a member's name, or the value of a name that was given again
 */
export function putTexts(value: object, texts: readonly LongText[]): boolean {
  let put = 0;
  const fill = (holder: object): void => {
    for (const name of Object.keys(holder)) {
      const child = (holder as Record<string, unknown>)[name];
      if (typeof child === 'object' && child !== null) fill(child);
      else if (typeof child === 'string' && child.startsWith(MARK)) {
        put++;
        const text = texts[Number(child.slice(MARK.length))]!;
        if (Array.isArray(holder)) holder[Number(name)] = text.decode();
        else putLongText(holder, name, text);
      }
    }
  };
  if (texts.length > 0) fill(value);
  return put === texts.length;
}

/** Where the string that begins at `open` has its other quote; -1 where it has none. */
function endOfString(json: BufferList, open: number): number {
  const end = json.indexOf(QUOTE, open + 1);
  if (end < 0 || json.at(end - 1) !== BACKSLASH) return end;
  // Text with an escaped quote has many of them: from here on one byte after the other.
  let at = open + 1;
  for (let rest = json.rest(at); rest; rest = json.rest(at)) {
    let here = 0;
    for (; here < rest.length; here++) {
      const byte = rest[here];
      if (byte === QUOTE) return at + here;
      if (byte === BACKSLASH) here++;
    }
    at += here;
  }
  return -1;
}

function longTextOf(pieces: Buffer[]): LongText | undefined {
  const escapes = escapesOf(pieces);
  if (escapes === undefined) return undefined;
  const length = lengthOf(pieces);
  return {
    // Each escape is two bytes for one.
    bytes: length - escapes,
    decode: () => {
      if (lengthOf(pieces) !== length) throw new Error('the text of a request was asked for after its end');
      const text = join(pieces, length).toString();
      return escapes === 0 ? text : (JSON.parse(`"${text}"`) as string);
    },
  };
}

function lengthOf(pieces: readonly Buffer[]): number {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  return length;
}
