import { isUtf8 } from 'node:buffer';
import { join } from './buffer-list.js';
import { decodedPieces } from './decoded-pieces.js';
import type { LongText } from './long-text.js';

/**
 * The text of a string of JSON.
 * @param json the content, without an unescaped quote
 * @param escapes what escapesOf returns
 * @returns undefined where it is not valid
 */
export function longTextOf(json: readonly Buffer[], escapes: number | undefined): LongText | undefined {
  return escapes === undefined ? undefined : new OutlinedText(json, lengthOf(json), escapes);
}

class OutlinedText implements LongText {
  /**
   * @param length of the content
   * @param escapes the bytes that its escapes have more than what they stand for
   */
  constructor(
    readonly json: readonly Buffer[],
    private readonly length: number,
    private readonly escapes: number,
  ) {}

  get bytes(): number {
    return this.length - this.escapes;
  }

  start(count: number): Buffer {
    return join(startOf(this.json, count), Math.min(count, lengthOf(this.json)));
  }

  after(count: number): LongText {
    const [beginning = ''] = decodedPieces([this.start(count)], this.escapes !== 0);
    return new OutlinedText(endOf(this.json, count), this.length - count, this.escapes - (count - Buffer.byteLength(beginning)));
  }

  pieces(): Iterable<string> {
    // Released buffers have length 0.
    if (lengthOf(this.json) !== this.length) throw new Error('the text of a request was asked for after its end');
    return decodedPieces(this.json, this.escapes !== 0);
  }

  decode(): string {
    if (this.escapes === 0 && lengthOf(this.json) === this.length) return decoded(this.json, this.length)!;
    let text = '';
    for (const piece of this.pieces()) text += piece;
    return text;
  }
}

/** @returns undefined where the bytes are not UTF-8 */
export function decoded(parts: readonly Buffer[], length: number): string | undefined {
  const bytes = join(parts, length);
  const text = isUtf8(bytes) ? bytes.toString() : undefined;
  // A copy is freed at once, so that a large body does not take the memory of one more while it is parsed.
  if (parts.length > 1 && bytes.buffer.byteLength === length) (bytes.buffer as ArrayBuffer).transfer(0);
  return text;
}

/** The first `count` bytes, in the buffers that they are in. */
function startOf(buffers: readonly Buffer[], count: number): Buffer[] {
  const start: Buffer[] = [];
  for (const buffer of buffers) {
    if (count <= 0) break;
    start.push(buffer.subarray(0, count));
    count -= buffer.length;
  }
  return start;
}

/** All but the first `count` bytes. */
function endOf(buffers: readonly Buffer[], count: number): Buffer[] {
  const end: Buffer[] = [];
  for (const buffer of buffers) {
    if (count < buffer.length) end.push(buffer.subarray(Math.max(0, count)));
    count -= buffer.length;
  }
  return end;
}

function lengthOf(buffers: readonly Buffer[]): number {
  let length = 0;
  for (const buffer of buffers) length += buffer.length;
  return length;
}
