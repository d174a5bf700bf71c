import { OnObject } from './on-object.js';

/** A long string of a request's JSON, still as it was written there. */
export interface LongText {
  /** UTF-8 bytes of the text that it stands for. */
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

/** Members that are long where anything is. */
const names = ['content', 'text', 'url', 'arguments'] as const;

/**
 * One getter for all members of a name: with one of its own each object would get a hidden class, which grows old and
 * keeps the bytes until then.
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
 * Makes a member of parsed JSON a text that is decoded when it is first read. Who only asks whether there is text, or
 * how much, asks `longTextAt` first: for a megabyte of prompt that goes on as it came, decoding is most of the work.
 */
export function putLongText(holder: object, name: string, text: LongText): void {
  const accessor = accessors.get(name);
  if (accessor) Undecoded.set(holder, name, text);
  Object.defineProperty(holder, name, accessor ?? { value: text.decode(), writable: true, enumerable: true, configurable: true });
}

/** The text of a member that nobody has read yet. */
export function longTextAt(holder: object, name: string): LongText | undefined {
  return Undecoded.at(holder, name);
}

/** Whether a member is a string, without reading it. */
export function hasText(holder: object, name: string): boolean {
  return longTextAt(holder, name) !== undefined || typeof (holder as Record<string, unknown>)[name] === 'string';
}

/** UTF-8 bytes of a member that is a string, without decoding it; 0 for anything else. */
export function textBytes(holder: object, name: string): number {
  const long = longTextAt(holder, name);
  if (long) return long.bytes;
  const value = (holder as Record<string, unknown>)[name];
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}
