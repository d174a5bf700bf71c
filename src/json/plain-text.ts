import { isUtf8 } from 'node:buffer';
import { hasControl } from './control-bytes.js';

const BACKSLASH = 0x5c;

/** What may stand behind a backslash (RFC 8259, section 7), but for `u`. */
const shortEscapes = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) shortEscapes[byte] = 1;

/**
 * Whether bytes may stand between the quotes of a JSON string, judged without decoding them.
 * @param pieces without an unescaped quote
 * @returns the number of escapes; undefined where it is not valid, or has escapes by number, which are left to JSON.parse
 */
export function escapesOf(pieces: readonly Buffer[]): number | undefined {
  let escapes = 0;
  let open = false;
  for (const piece of pieces) {
    if (hasControl(piece)) return undefined;
    let at = 0;
    if (open) {
      if (shortEscapes[piece[0]!] === 0) return undefined;
      open = false;
      at = 1;
    }
    for (at = backslash(piece, at); at >= 0; at = backslash(piece, at + 2)) {
      escapes++;
      if (at + 1 === piece.length) {
        open = true;
        break;
      }
      if (shortEscapes[piece[at + 1]!] === 0) return undefined;
    }
  }
  return !open && areUtf8(pieces) ? escapes : undefined;
}

/** Looks at the nearest bytes itself: in text with many escapes, calls to search cost more than all else. */
function backslash(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + 32);
  for (let at = from; at < near; at++) if (bytes[at] === BACKSLASH) return at;
  return bytes.indexOf(BACKSLASH, near);
}

/** Whether they are UTF-8 together: a character may begin in one piece and end in the next. */
export function areUtf8(pieces: readonly Buffer[]): boolean {
  let rest: Buffer | undefined;
  for (const piece of pieces) {
    let start = 0;
    if (rest) {
      while (start < piece.length && start < 3 && isContinuation(piece[start]!)) start++;
      const whole = Buffer.concat([rest, piece.subarray(0, start)]);
      if (start === piece.length && cutAt(whole) < whole.length) {
        rest = whole;
        continue;
      }
      if (!isUtf8(whole)) return false;
    }
    const end = Math.max(start, cutAt(piece));
    if (!isUtf8(piece.subarray(start, end))) return false;
    rest = end < piece.length ? piece.subarray(end) : undefined;
  }
  return rest === undefined;
}

/** Where the last character begins, if its end is missing; otherwise the end. */
function cutAt(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
