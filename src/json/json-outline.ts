import { randomBytes } from 'node:crypto';
import { type LongText, putLongText } from './long-text.js';
import { join, type BufferList } from './buffer-list.js';
import { escapesOf } from './plain-text.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes of a string from which on it is cheaper not to decode it. */
const LONG = 4 * 1024;

/**
 * Number of consecutive short strings after which the search for long ones ends, unless MIN_REST bytes remain: to skip
 * short strings takes longer than to parse them.
 */
const MAX_SHORT = 64;
/** Bytes of JSON for which the search is worth its time in any case. */
const MIN_REST = 256 * 1024;

/** The beginning of each placeholder for a long string. It is random, so that no client can send it. */
const MARK = randomBytes(12).toString('base64url');

/** JSON in which placeholders replace the long strings. */
export interface JsonOutline {
  /** The JSON with placeholders. It is valid if and only if the whole is valid. */
  readonly json: Buffer;
  readonly texts: readonly LongText[];
  /** @returns the offset in the whole of a byte of `json` that is not in a string */
  offsetOf(at: number): number;
}

/** @param whole any bytes; where they are not valid JSON, the outline is not either, and JSON.parse refuses it */
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
    } else if (++short > MAX_SHORT && whole.length - close < MIN_REST) break;
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
 * Replaces the placeholders in the value that was parsed from an outline by the long strings.
 * @returns false where a placeholder is missing: it was a member's name, or the value of a name that occurs again
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

/** @returns the offset of the quote that ends the string beginning at `open`; -1 where there is none */
function endOfString(json: BufferList, open: number): number {
  const end = json.indexOf(QUOTE, open + 1);
  if (end < 0 || json.at(end - 1) !== BACKSLASH) return end;
  // Text with one escaped quote usually has many, so from here on each byte is checked.
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

function longTextOf(buffers: Buffer[]): LongText | undefined {
  const escapes = escapesOf(buffers);
  if (escapes === undefined) return undefined;
  const length = lengthOf(buffers);
  return {
    // Each escape is two bytes that stand for one.
    bytes: length - escapes,
    decode: () => {
      // Released buffers have length 0.
      if (lengthOf(buffers) !== length) throw new Error('the text of a request was asked for after its end');
      const text = join(buffers, length).toString();
      return escapes === 0 ? text : (JSON.parse(`"${text}"`) as string);
    },
  };
}

function lengthOf(buffers: readonly Buffer[]): number {
  let length = 0;
  for (const buffer of buffers) length += buffer.length;
  return length;
}
