const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

export interface JsonMembers {
  /** Where the JSON of each member that is an object or an array begins and ends. */
  readonly ranges: ReadonlyMap<string, readonly [from: number, to: number]>;
  /** Names in all objects together; one that was given twice counts twice. */
  readonly names: number;
}

/**
 * Where the members of an object lie in its JSON.
 * @param json an object, which JSON.parse has taken
 * @returns undefined where a member's name is written with escapes: two that look different could then be the same
 */
export function jsonMembers(json: Buffer): JsonMembers | undefined {
  const ranges = new Map<string, readonly [number, number]>();
  let names = 0;
  let depth = 0;
  let name = '';
  let begin = 0;
  let lastString = [0, 0] as [number, number];
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE: {
        const end = endOfString(json, at);
        if (depth === 1) lastString = [at + 1, end];
        at = end;
        break;
      }
      case COLON:
        names++;
        if (depth !== 1) break;
        name = json.toString('utf8', ...lastString);
        if (name.includes('\\')) return undefined;
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (++depth === 2) begin = at;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        if (--depth === 1) ranges.set(name, [begin, at + 1]);
    }
  }
  return { ranges, names };
}

/** Where the string that begins at `start` has its other quote: one with an even number of backslashes before it. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); ; end = json.indexOf(QUOTE, end + 1)) {
    let before = end;
    while (json[before - 1] === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
}
