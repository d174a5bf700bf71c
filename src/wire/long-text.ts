/** A long string of a request's JSON, still as it was written there. */
export interface LongText {
  /** UTF-8 bytes of the text that it stands for. */
  readonly bytes: number;
  decode(): string;
}

const undecoded = Symbol('undecoded');

interface Holder {
  [undecoded]?: Record<string, LongText>;
}

/** Members that are long where anything is. */
const names = ['content', 'text', 'url', 'arguments'] as const;

/** One getter for all members of a name: with one of its own each object would get a hidden class, which grows old and keeps the bytes until then. */
const accessors = new Map<string, PropertyDescriptor>(
  names.map((name) => [
    name,
    {
      get(this: Holder) {
        const value = this[undecoded]![name]!.decode();
        settle(this, name, value);
        return value;
      },
      set(this: Holder, value: unknown) {
        settle(this, name, value);
      },
      enumerable: true,
      configurable: true,
    },
  ]),
);

function settle(holder: Holder, name: string, value: unknown): void {
  delete holder[undecoded]![name];
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Makes a member of parsed JSON a text that is decoded when it is first read. Who only asks whether there is text, or how much, asks `longTextAt`
 * first: for a megabyte of prompt that goes on as it came, decoding is most of the work.
 */
export function putLongText(holder: object, name: string, text: LongText): void {
  const own = holder as Holder;
  const accessor = accessors.get(name);
  if (!accessor) {
    Object.defineProperty(own, name, { value: text.decode(), writable: true, enumerable: true, configurable: true });
    return;
  }
  if (!own[undecoded]) Object.defineProperty(own, undecoded, { value: Object.create(null), configurable: true });
  own[undecoded]![name] = text;
  Object.defineProperty(own, name, accessor);
}

/** The text of a member that nobody has read yet. */
export function longTextAt(holder: object, name: string): LongText | undefined {
  return (holder as Holder)[undecoded]?.[name];
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
