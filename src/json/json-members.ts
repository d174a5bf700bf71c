const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

export interface JsonMembers {
  /** Offsets at which the JSON of each member begins and ends; only of members that are objects or arrays. */
  readonly ranges: ReadonlyMap<string, readonly [from: number, to: number]>;
  /** Number of names in all objects together; a name that occurs twice counts twice. */
  readonly names: number;
}

/**
 * Locates the members of an object in its JSON.
 * @param json an object that JSON.parse has accepted
 * @returns undefined where a member's name contains escapes, because two that differ could then mean the same
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

/**
 * @returns the offset of the quote that ends the string beginning at `start`; an even number of backslashes precedes it
 */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); ; end = json.indexOf(QUOTE, end + 1)) {
    let before = end;
    while (json[before - 1] === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end;
  }
}
