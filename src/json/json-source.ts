import { OnObject } from './on-object.js';

/**
 * The source is kept in a private field of the value itself: an old WeakMap keeps its values until the next full
 * collection.
 */
class Parsed extends OnObject {
  readonly #json: readonly Uint8Array[];

  constructor(value: object, json: readonly Uint8Array[]) {
    super(value);
    this.#json = json;
  }

  static sourceOf(value: object): readonly Uint8Array[] | undefined {
    return #json in value ? value.#json : undefined;
  }
}

/**
 * Keeps the JSON text, as buffers of UTF-8, that a large value of a request was parsed from. What goes on to a provider
 * as it came is then not serialised again: one copy of bytes instead of two passes over the text. A copy of the value,
 * or a new one, has no source.
 *
 * @param value has no source yet
 */
export function keepSource(value: object, json: readonly Uint8Array[]): void {
  void new Parsed(value, json);
}

/** What a changed copy was made from. */
class Changed extends OnObject {
  readonly #bytes: number;

  constructor(copy: object, bytes: number) {
    super(copy);
    this.#bytes = bytes;
  }

  static bytesOf(copy: object): number {
    return #bytes in copy ? copy.#bytes : 0;
  }
}

/**
 * Keeps of a changed copy of a large value of a request how large that is, so that its JSON is made piece by piece.
 * @returns the copy
 */
export function changedFrom<T extends object>(value: object, copy: T): T {
  const bytes = sourceBytes(value);
  if (bytes > 0) void new Changed(copy, bytes);
  return copy;
}

/**
 * Does what changedFrom does for a value that was made of several members of a body.
 * @returns the value
 */
export function madeFrom<T extends object>(body: object, names: readonly string[], value: T): T {
  const bytes = names.reduce((sum, name) => sum + bytesOfMember(body, name), 0);
  if (bytes > 0) void new Changed(value, bytes);
  return value;
}

/** Bytes of the JSON that a value was parsed from, or that of which it is a changed copy; 0 where nobody knows. */
export function sourceBytes(value: unknown): number {
  const source = sourceOf(value);
  if (source) return source.reduce((sum, { length }) => sum + length, 0);
  return typeof value === 'object' && value !== null ? Changed.bytesOf(value) : 0;
}

/** Bytes of the JSON that the members of an object were parsed from, as far as these are known. */
export function sourceBytesOfMembers(of: object): number {
  let bytes = 0;
  for (const name in of) bytes += bytesOfMember(of, name);
  return bytes;
}

function bytesOfMember(of: object, name: string): number {
  const member = (of as Record<string, unknown>)[name];
  return typeof member === 'string' ? member.length : sourceBytes(member);
}

export function sourceOf(value: unknown): readonly Uint8Array[] | undefined {
  return typeof value === 'object' && value !== null ? Parsed.sourceOf(value) : undefined;
}
