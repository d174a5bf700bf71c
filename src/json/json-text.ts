import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters of JSON that are made at once. */
const PIECE = 64 * 1024;

/** Bytes of it that are made in one turn of the event loop. */
const STEP = 1024 * 1024;

/** Elements of a list that are made together where each of them is small. */
const TOGETHER = 16;

/** Characters of a text up to which its JSON is kept. */
const SHORT = 128;

/** JSON, bytes of it, or what makes it. */
type Part = string | Uint8Array | (() => string);

/**
 * The JSON of a value without white space, which is made piece by piece when it is iterated over, as often as it is
 * asked for, and is never in memory as a whole. The value must not change meanwhile.
 */
export class JsonText implements Iterable<string | Uint8Array> {
  readonly #parts: Part[] = [];
  #literal = '';

  constructor(value: object) {
    const open = new Set<object>();
    weigh(value, open);
    this.#add(value, open);
    this.#endLiteral();
  }

  *[Symbol.iterator](): Generator<string | Uint8Array, void> {
    let text = '';
    for (const part of this.#parts) {
      if (part instanceof Uint8Array) {
        if (text !== '') yield text;
        text = '';
        yield part;
        continue;
      }
      text += typeof part === 'string' ? part : part();
      if (text.length < PIECE) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }

  /** All of it as UTF-8, made with other turns of the event loop between megabytes. */
  async bytes(): Promise<Buffer> {
    const parts: Buffer[] = [];
    let made = 0;
    for (const piece of this) {
      const part = Buffer.from(piece as string);
      parts.push(part);
      made += part.length;
      if (made < STEP) continue;
      made = 0;
      await nextTurn();
    }
    return Buffer.concat(parts);
  }

  #endLiteral(): void {
    if (this.#literal !== '') this.#parts.push(this.#literal);
    this.#literal = '';
  }

  #addLater(make: () => string): void {
    this.#endLiteral();
    this.#parts.push(make);
  }

  #add(value: unknown, open: ReadonlySet<object>): void {
    if (typeof value === 'string') this.#addText(value);
    else if (typeof value !== 'object' || value === null) this.#literal += JSON.stringify(value);
    else if (!open.has(value)) this.#addLater(() => JSON.stringify(value));
    else if (Array.isArray(value)) this.#addList(value, open);
    else this.#addObject(value as Record<string, unknown>, open);
  }

  #addList(list: readonly unknown[], open: ReadonlySet<object>): void {
    const isSmall = (index: number): boolean => {
      const element = list[index];
      return typeof element === 'string' ? element.length <= PIECE : !open.has(element as object);
    };
    this.#literal += '[';
    for (let index = 0; index < list.length;) {
      if (index > 0) this.#literal += ',';
      const from = index;
      while (index < list.length && index < from + TOGETHER && isSmall(index)) index++;
      const to = index;
      if (to > from) this.#addLater(() => JSON.stringify(list.slice(from, to)).slice(1, -1));
      else this.#add(list[index++], open);
    }
    this.#literal += ']';
  }

  #addObject(value: Record<string, unknown>, open: ReadonlySet<object>): void {
    let before = '{';
    for (const name of Object.keys(value)) {
      if (value[name] === undefined) continue;
      this.#literal += before;
      this.#addText(name);
      this.#literal += ':';
      this.#add(value[name], open);
      before = ',';
    }
    this.#literal += before === '{' ? '{}' : '}';
  }

  #addText(text: string): void {
    if (text.length <= SHORT) {
      this.#literal += JSON.stringify(text);
      return;
    }
    this.#literal += '"';
    for (let at = 0; at < text.length;) {
      const from = at;
      at = Math.min(at + PIECE, text.length);
      // Halves of a character apart would be written as escapes.
      if (isHigh(text.charCodeAt(at - 1))) at++;
      const to = at;
      this.#addLater(() => JSON.stringify(text.slice(from, to)).slice(1, -1));
    }
    this.#literal += '"';
  }
}

/**
 * Finds what is large, which is written member by member. Recursion is
 * safe, because the depth of requests is limited.
 * @returns about how many characters of JSON the value is
 */
function weigh(value: unknown, open: Set<object>): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return 8;
  let [weight, isOpen] = [2, false];
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  const count = names?.length ?? (value as readonly unknown[]).length;
  for (let index = 0; index < count; index++) {
    const name = names?.[index] ?? index;
    if (names) weight += names[index]!.length + 4;
    const member = (value as Record<string | number, unknown>)[name];
    weight += weigh(member, open);
    isOpen ||= open.has(member as object);
  }
  if (isOpen || weight > PIECE) open.add(value);
  return weight;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
