import { cutAt } from './plain-text.js';

const QUOTE = '"';
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/**
 * Bytes that are decoded at once. What JSON.parse reads and what it makes of it is then young and small, and is freed
 * by the next collections.
 */
const PIECE = 64 * 1024;

/**
 * Decodes the content of a JSON string piece by piece: joined, the pieces are what JSON.parse makes of the whole. Two
 * escapes that are one character may be in two pieces.
 * @param buffers what `escapesOf` accepts; they may be cut anywhere
 */
export function* decodedPieces(buffers: readonly Buffer[], hasEscapes: boolean): Generator<string> {
  let rest: Buffer | undefined;
  for (const buffer of buffers) {
    for (let at = 0; at < buffer.length; at += PIECE) {
      const part = buffer.subarray(at, at + PIECE);
      const bytes = rest ? Buffer.concat([rest, part]) : part;
      const end = wholeEnd(bytes, hasEscapes);
      rest = end < bytes.length ? bytes.subarray(end) : undefined;
      const text = bytes.toString('utf8', 0, end);
      yield hasEscapes ? (JSON.parse(QUOTE + text + QUOTE) as string) : text;
    }
  }
}

/** @returns the offset of the last character or escape where its end is missing; otherwise the length */
function wholeEnd(bytes: Buffer, hasEscapes: boolean): number {
  const last = hasEscapes ? bytes.lastIndexOf(BACKSLASH) : -1;
  if (last >= 0 && last > bytes.length - 6) {
    let first = last;
    while (first > 0 && bytes[first - 1] === BACKSLASH) first--;
    // Of two backslashes the second one is what the first one stands before.
    const begins = (last - first) % 2 === 0;
    if (begins && last + (bytes[last + 1] === LETTER_U ? 6 : 2) > bytes.length) return last;
  }
  return cutAt(bytes);
}
