import { setMember } from '../wire/own-members.js';
import { decodedPieces } from './decoded-pieces.js';
import { OnObject } from './on-object.js';

/** A long string of a request's JSON, in the form in which it was written there. */
export interface LongText {
  /** UTF-8 bytes of the decoded text. */
  readonly bytes: number;
  /** What is between the quotes, as it is written in the JSON. The buffers may be cut anywhere. */
  readonly json: readonly Buffer[];
  /** The first `length` bytes as they are written in the JSON: escapes are not decoded. */
  start(length: number): Buffer;
  /**
   * The text without its beginning.
   * @param length bytes of the beginning as it is written in the JSON, which ends behind a whole character or escape
   */
  after(length: number): LongText;
  /** The decoded text, a few kilobytes at a time. */
  pieces(): Iterable<string>;
  decode(): string;
}

class Undecoded extends OnObject {
  readonly #texts = new Map<string, LongText>();

  static set(holder: object, name: string, text: LongText): void {
    const own = #texts in holder ? holder : new Undecoded(holder);
    own.#texts.set(name, text);
  }

  static remove(holder: object, name: string): void {
    if (#texts in holder) holder.#texts.delete(name);
  }

  static in(holder: object): boolean {
    return #texts in holder;
  }

  static at(holder: object, name: string): LongText | undefined {
    return #texts in holder ? holder.#texts.get(name) : undefined;
  }
}

/** The members that are long in a long request. */
const names = [
  'content',
  'text',
  'url',
  'arguments',
  'prompt',
  'output',
  'input',
  'instructions',
  'system',
  'thinking',
  'signature',
  'data',
  'encrypted_content',
  'reasoning_content',
] as const;

/** Bytes from which on a member of any other name, or an element of an array, is left undecoded. */
const MUCH = 64 * 1024;

/**
 * One getter serves all members of a name. With a getter of its own each object would get a hidden class of its own,
 * which becomes old and keeps the bytes until then. Other names have getters of their own: a body has few texts of
 * `MUCH` bytes, and a getter does not have the bytes.
 */
const accessors = new Map<string, PropertyDescriptor>(names.map((name) => [name, accessorOf(name)]));

function accessorOf(name: string): PropertyDescriptor {
  return {
    get(this: object) {
      const value = Undecoded.at(this, name)!.decode();
      settle(this, name, value);
      return value;
    },
    set(this: object, value: unknown) {
      settle(this, name, value);
    },
    enumerable: true,
    configurable: true,
  };
}

function settle(holder: object, name: string, value: unknown): void {
  Undecoded.remove(holder, name);
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Whether a member, or an element of an array, is decoded when it is first read. Of a short text that is usually read,
 * decoding costs no more than putting it off.
 */
export function isPutOff(name: string | number, { bytes }: Pick<LongText, 'bytes'>, isTop: boolean): boolean {
  return accessors.has(name as string) || (bytes >= MUCH && !isTop);
}

/**
 * Makes a member of parsed JSON, or an element of an array, a text that is decoded when it is first read. Code that
 * only asks whether there is text, or how much, calls `longTextAt` first: for a megabyte of prompt that goes on as it
 * came, decoding is most of the work.
 */
export function putLongText(holder: object, name: string, text: LongText): void {
  Undecoded.set(holder, name, text);
  Object.defineProperty(holder, name, accessors.get(name) ?? accessorOf(name));
}

/** Whether an object has, or had, members that were not read yet. */
export function hasLongTexts(holder: object): boolean {
  return Undecoded.in(holder);
}

/** @returns the text of a member that was not read yet */
export function longTextAt(holder: object, name: string): LongText | undefined {
  return Undecoded.at(holder, name);
}

/**
 * Gives an object a member of another one. A text that was not read yet goes along as it is.
 * @param as the name that it gets
 */
export function copyMember(from: object, name: string, to: object, as = name): void {
  const text = longTextAt(from, name);
  if (text) putLongText(to, as, text);
  else setMember(to, as, (from as Record<string, unknown>)[name]);
}

/** Does what `Object.assign` does, also of a member `__proto__`. Texts that were not read yet are not decoded. */
export function copyMembers<T extends object>(from: object, to: T): T {
  if (!hasLongTexts(from) && !Object.hasOwn(from, '__proto__')) return Object.assign(to, from);
  for (const name of Object.keys(from)) copyMember(from, name, to);
  return to;
}

/** A shallow copy of an object of JSON. Its texts that were not read yet are not decoded. */
export function copyOf<T extends object>(holder: T): T {
  return hasLongTexts(holder) ? (copyMembers(holder, {}) as T) : { ...holder };
}

/** A shallow copy of an object of JSON with other members. Its texts that were not read yet are not decoded. */
export function copyWith<T extends object>(holder: T, members: Partial<T>): T {
  return hasLongTexts(holder) ? Object.assign(copyOf(holder), members) : { ...holder, ...members };
}

/** Whether a member is a string. Does not decode it. */
export function hasText(holder: object, name: string): boolean {
  return typeof valueAt(holder, name) === 'string';
}

/** Whether a member is a string that is not empty. Does not decode it. */
export function hasSomeText(holder: object, name: string): boolean {
  return hasText(holder, name) && (longTextAt(holder, name) !== undefined || (holder as Record<string, unknown>)[name] !== '');
}

/** The value of a member; the empty string where it is a text that was not read yet, which is not decoded. */
export function valueAt(holder: object, name: string): unknown {
  return longTextAt(holder, name) ? '' : (holder as Record<string, unknown>)[name];
}

/** Whether a member is a string, null or absent. Does not decode it. */
export function mayHaveText(holder: object, name: string): boolean {
  const value = valueAt(holder, name);
  return value === undefined || value === null || typeof value === 'string';
}

/** Bytes of a text in which a character that is not white space is looked for first. */
const BEGINNING = 256;

/**
 * Whether a member is a text with a character that is not white space. Does not decode more of it than it must: one
 * that begins with 64 KB of white space is left to the vendor.
 */
export function hasVisibleText(holder: object, name: string): boolean {
  const text = longTextAt(holder, name);
  if (!text) return hasText(holder, name) && /\S/.test((holder as Record<string, string>)[name]!);
  if (/\S/.test(decodedStart(text, BEGINNING))) return true;
  let blank = 0;
  for (const piece of text.pieces()) {
    if (blank > MUCH || /\S/.test(piece)) return true;
    blank += piece.length;
  }
  return false;
}

/** The beginning of a long text, which is not decoded beyond `length` bytes as it is written. */
export function decodedStart(text: Pick<LongText, 'start'>, length: number): string {
  const [start = ''] = decodedPieces([text.start(length)], true);
  return start;
}

/** A member that is a string, a few kilobytes at a time where it was not read yet; nothing for anything else. */
export function textPieces(holder: object, name: string): Iterable<string> {
  const long = longTextAt(holder, name);
  if (long) return long.pieces();
  const value = (holder as Record<string, unknown>)[name];
  return typeof value === 'string' ? [value] : [];
}

/** The beginning of a member that is a string: of so many bytes as it is written, where it was not read yet. */
export function textStart(holder: object, name: string, length: number): string {
  const long = longTextAt(holder, name);
  return long ? decodedStart(long, length) : String((holder as Record<string, unknown>)[name]).slice(0, length);
}

/** UTF-8 bytes of a UTF-16 code unit at most. */
const UNIT_BYTES = 3;

/** Whether a member is a string of at most so many UTF-16 code units. Does not decode one that is longer. */
export function hasTextUpTo(holder: object, name: string, length: number): boolean {
  if ((longTextAt(holder, name)?.bytes ?? 0) > UNIT_BYTES * length) return false;
  const value = (holder as Record<string, unknown>)[name];
  return typeof value === 'string' && value.length <= length;
}

/** The UTF-16 code units of a member that is a string, which is decoded piece by piece; 0 for anything else. */
export function textUnits(holder: object, name: string): number {
  let units = 0;
  for (const piece of textPieces(holder, name)) units += piece.length;
  return units;
}

/** The UTF-8 bytes of a member that is a string, which is not decoded; 0 for anything else. */
export function textBytes(holder: object, name: string): number {
  const long = longTextAt(holder, name);
  if (long) return long.bytes;
  const value = (holder as Record<string, unknown>)[name];
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}
