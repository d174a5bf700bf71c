import { isUtf8 } from 'node:buffer';
import { hasControl } from './control-bytes.js';

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** Bytes of two numeric escapes that are one character. */
const PAIR = 12;

/** The characters that may follow a backslash (RFC 8259, section 7), except `u`. */
const shortEscapes = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) shortEscapes[byte] = 1;

/** Bytes that are looked at in one step. */
const STEP = 1024 * 1024;

/**
 * Checks without decoding whether bytes are the valid content of a JSON string.
 * @param buffers the content, without an unescaped quote
 * @returns the bytes that its escapes have more than what they stand for, as UTF-8; 0 only where there are none;
 * undefined where the content is not valid
 */
export function escapesOf(buffers: readonly Buffer[]): number | undefined {
  const steps = escapeSteps(buffers);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** What escapesOf does, in steps of about a megabyte: a text of many escapes takes as long as all else of its body. */
export function* escapeSteps(buffers: readonly Buffer[]): Generator<void, number | undefined> {
  let more = 0;
  let looked = 0;
  let rest: Buffer | undefined;
  for (const [index, buffer] of buffers.entries()) {
    if (hasControl(buffer)) return undefined;
    const bytes = rest ? Buffer.concat([rest, buffer]) : buffer;
    const whole = index === buffers.length - 1 ? bytes.length : bytes.length - PAIR;
    let at = backslash(bytes, 0);
    while (at >= 0 && at <= whole) {
      const length = escapeLength(bytes, at);
      if (length === 0) return undefined;
      more += length - (length === 2 ? 1 : utf8Length(bytes, at, length));
      at = backslash(bytes, at + length);
    }
    // An escape may go on in the next buffer.
    rest = at >= 0 ? bytes.subarray(at) : undefined;
    looked += buffer.length;
    if (looked < STEP) continue;
    looked = 0;
    yield;
  }
  return areUtf8(buffers) ? more : undefined;
}

/** @returns the bytes of an escape, or of two that are one character; 0 where it is none */
function escapeLength(bytes: Buffer, at: number): number {
  const unit = unitAt(bytes, at);
  if (unit < 0) return shortEscapes[bytes[at + 1] ?? 0]! * 2;
  return unit >= 0xd800 && unit < 0xdc00 && unitAt(bytes, at + 6) >> 10 === 0xdc00 >> 10 ? PAIR : 6;
}

/** The UTF-8 bytes of what a numeric escape stands for; half of a pair is written as U+FFFD. */
function utf8Length(bytes: Buffer, at: number, length: number): number {
  if (length === PAIR) return 4;
  const unit = unitAt(bytes, at);
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
}

/** @returns the UTF-16 code unit of a numeric escape; -1 where there is none */
function unitAt(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U || at + 6 > bytes.length) return -1;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit++) {
    const byte = bytes[digit]!;
    const letter = byte | 0x20;
    if (byte >= 0x30 && byte <= 0x39) unit = 16 * unit + byte - 0x30;
    else if (letter >= 0x61 && letter <= 0x66) unit = 16 * unit + letter - 0x57;
    else return -1;
  }
  return unit;
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

/** @returns the offset of the last UTF-8 character where its end is missing; otherwise the length */
export function cutAt(bytes: Buffer): number {
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
