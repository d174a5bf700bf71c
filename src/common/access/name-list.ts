/** What is looked at of a text. */
export interface Characters {
  readonly length: number;
  charCodeAt(index: number): number;
}

const STAR = 42;

/** Names, and patterns in which `*` stands for any characters. */
export class NameList {
  readonly #names: ReadonlySet<string>;
  readonly #patterns: readonly string[];

  constructor(texts: readonly string[]) {
    this.#names = new Set(texts.filter((text) => !text.includes('*')));
    this.#patterns = [...new Set(texts.filter((text) => text.includes('*')).map(collapsed))];
  }

  has(name: string): boolean {
    return this.#names.has(name) || this.#patterns.some((pattern) => matches(name, pattern));
  }
}

/**
 * Several `*` in a row mean what one means. What `replace` makes would take 32 bytes for each piece: it is one text that
 * refers to many others.
 */
function collapsed(pattern: string): string {
  return pattern.includes('**') ? pattern.split(/\*+/).join('*') : pattern;
}

/** Of each place in a part, how many of the characters before it the part begins with, too. */
const borders = new Uint16Array(1024);

/**
 * Finds the parts between the `*` one after the other, each as early as it can be: no other choice leaves more room for
 * the next. Each part is found by the algorithm of Knuth, Morris and Pratt, so that each character of both is looked at
 * a few times at most; a regular expression would try the choices again.
 * @param pattern has a `*`, and at most 1,024 characters
 */
export function matches(name: Characters, pattern: Characters): boolean {
  let first = 0;
  for (; pattern.charCodeAt(first) !== STAR; first++)
    if (first >= name.length || name.charCodeAt(first) !== pattern.charCodeAt(first)) return false;
  let last = pattern.length;
  let end = name.length;
  for (; pattern.charCodeAt(last - 1) !== STAR; last--, end--)
    if (end <= first || name.charCodeAt(end - 1) !== pattern.charCodeAt(last - 1)) return false;
  let from = first;
  for (let begin = first + 1; begin < last;) {
    let stop = begin;
    while (pattern.charCodeAt(stop) !== STAR) stop++;
    from = find(pattern, begin, stop, name, from, end);
    if (from < 0) return false;
    begin = stop + 1;
  }
  return true;
}

/** @returns where the part ends that begins soonest in the name from a place on, before `end`; -1 where there is none */
function find(pattern: Characters, begin: number, stop: number, name: Characters, from: number, end: number): number {
  const length = stop - begin;
  if (length > end - from) return -1;
  borders[0] = 0;
  for (let at = 1, same = 0; at < length; at++) {
    while (same > 0 && pattern.charCodeAt(begin + at) !== pattern.charCodeAt(begin + same)) same = borders[same - 1]!;
    if (pattern.charCodeAt(begin + at) === pattern.charCodeAt(begin + same)) same++;
    borders[at] = same;
  }
  let found = 0;
  for (let at = from; at < end; at++) {
    while (found > 0 && name.charCodeAt(at) !== pattern.charCodeAt(begin + found)) found = borders[found - 1]!;
    if (name.charCodeAt(at) === pattern.charCodeAt(begin + found)) found++;
    if (found === length) return at + 1;
  }
  return -1;
}
