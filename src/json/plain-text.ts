import { isUtf8 } from 'node:buffer';
import { hasControl } from './control-bytes.js';

const BACKSLASH = 0x5c;

/** The characters that may follow a backslash (RFC 8259, section 7), except `u`. */
const shortEscapes = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) shortEscapes[byte] = 1;

/**
 * Checks without decoding whether bytes are the valid content of a JSON string.
 * @param buffers the content, without an unescaped quote
 * @returns the number of escapes; undefined where the content is not valid, or has numeric escapes, which only
 * JSON.parse decodes
 */
export function escapesOf(buffers: readonly Buffer[]): number | undefined {
  let escapes = 0;
  let open = false;
  for (const buffer of buffers) {
    if (hasControl(buffer)) return undefined;
    let at = 0;
    if (open) {
      if (shortEscapes[buffer[0]!] === 0) return undefined;
      open = false;
      at = 1;
    }
    for (at = backslash(buffer, at); at >= 0; at = backslash(buffer, at + 2)) {
      escapes++;
      if (at + 1 === buffer.length) {
        open = true;
        break;
      }
      if (shortEscapes[buffer[at + 1]!] === 0) return undefined;
    }
  }
  return !open && areUtf8(buffers) ? escapes : undefined;
}

/** Checks the next bytes itself, because in text with many escapes the calls of `indexOf` take most of the time. */
function backslash(bytes: Buffer, from: number): number {
  const near = Math.min(bytes.length, from + 32);
  for (let at = from; at < near; at++) if (bytes[at] === BACKSLASH) return at;
  return bytes.indexOf(BACKSLASH, near);
}

/** Whether the buffers are UTF-8 when joined: a character may begin in one buffer and end in the next. */
export function areUtf8(buffers: readonly Buffer[]): boolean {
  let rest: Buffer | undefined;
  for (const buffer of buffers) {
    let start = 0;
    if (rest) {
      while (start < buffer.length && start < 3 && isContinuation(buffer[start]!)) start++;
      const whole = Buffer.concat([rest, buffer.subarray(0, start)]);
      if (start === buffer.length && cutAt(whole) < whole.length) {
        rest = whole;
        continue;
      }
      if (!isUtf8(whole)) return false;
    }
    const end = Math.max(start, cutAt(buffer));
    if (!isUtf8(buffer.subarray(start, end))) return false;
    rest = end < buffer.length ? buffer.subarray(end) : undefined;
  }
  return rest === undefined;
}

/** @returns the offset of the last character where its end is missing; otherwise the length */
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
