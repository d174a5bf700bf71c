import { OnObject } from './on-object.js';

/** A long string of a request's JSON, in the form in which it was written there. */
export interface LongText {
  /** UTF-8 bytes of the decoded text. */
  readonly bytes: number;
  decode(): string;
}

class Undecoded extends OnObject {
  #texts: Readonly<Record<string, LongText | undefined>> = {};

  static set(holder: object, name: string, text: LongText | undefined): void {
    const own = #texts in holder ? holder : new Undecoded(holder);
    own.#texts = { ...own.#texts, [name]: text };
  }

  static at(holder: object, name: string): LongText | undefined {
    return #texts in holder ? holder.#texts[name] : undefined;
  }
}

/** The members that are long in a long request. */
const names = ['content', 'text', 'url', 'arguments'] as const;

/**
 * One getter serves all members of a name. With a getter of its own each object would get a hidden class of its own,
 * which becomes old and keeps the bytes until then.
 */
const accessors = new Map<string, PropertyDescriptor>(
  names.map((name) => [
    name,
    {
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
    },
  ]),
);

function settle(holder: object, name: string, value: unknown): void {
  Undecoded.set(holder, name, undefined);
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Makes a member of parsed JSON a text that is decoded when it is first read. Code that only asks whether there is
 * text, or how much, calls `longTextAt` first: for a megabyte of prompt that goes on as it came, decoding is most of
 * the work.
 */
export function putLongText(holder: object, name: string, text: LongText): void {
  const accessor = accessors.get(name);
  if (accessor) Undecoded.set(holder, name, text);
  Object.defineProperty(holder, name, accessor ?? { value: text.decode(), writable: true, enumerable: true, configurable: true });
}

/** @returns the text of a member that was not read yet */
export function longTextAt(holder: object, name: string): LongText | undefined {
  return Undecoded.at(holder, name);
}

/** Whether a member is a string. Does not decode it. */
export function hasText(holder: object, name: string): boolean {
  return longTextAt(holder, name) !== undefined || typeof (holder as Record<string, unknown>)[name] === 'string';
}

/** The UTF-8 bytes of a member that is a string, which is not decoded; 0 for anything else. */
export function textBytes(holder: object, name: string): number {
  const long = longTextAt(holder, name);
  if (long) return long.bytes;
  const value = (holder as Record<string, unknown>)[name];
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}
