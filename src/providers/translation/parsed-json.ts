import { ProviderError } from '../contract/provider-error.js';

/** Levels of objects and arrays in one answer, or one event of a stream. What writes JSON recurses. */
const MAX_DEPTH = 100;

/** Objects and arrays, and one more for each so many characters. Log probabilities have one for 20 characters. */
const CONTAINERS = 40_000;
const LEAST_CONTAINER = 16;

/** Members of one object: V8 keeps larger ones in tables that are slow to fill. */
const MAX_MEMBERS = 4_096;

/** Members of the open object of each level, of the text that is being looked at. */
const membersAt = new Uint16Array(MAX_DEPTH + 1);

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** @returns undefined where the text is not JSON */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Looks at a JSON text before it is parsed, because JSON.parse makes 20 to 30 bytes of memory of one byte of empty
 * objects, and is slow to fill objects with many members.
 * @throws ProviderError limit_exceeded where the text has too many levels, objects and arrays, or members of an object
 */
export function requireParsable(text: string): void {
  // A text that is too deep ends with so many brackets, or has so many before other members.
  if (text.length <= 2 * MAX_DEPTH) return;
  const most = CONTAINERS + text.length / LEAST_CONTAINER;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at + 1);
    // `{` and `[`, and what closes them, differ in this bit alone.
    else if ((code | 32) === 123) {
      if (++depth > MAX_DEPTH) throw refused(`is nested deeper than ${MAX_DEPTH} levels`);
      if (++containers > most) throw refused(`has more than ${Math.floor(most)} objects and arrays`);
      membersAt[depth] = 0;
    } else if ((code | 32) === 125) depth--;
    else if (code === COLON && ++membersAt[depth]! > MAX_MEMBERS) throw refused(`has an object with more than ${MAX_MEMBERS} members`);
  }
}

function refused(what: string): ProviderError {
  return new ProviderError('limit_exceeded', `The answer ${what}.`);
}

/** @returns the position of the quotation mark that ends the string whose content begins at `from` */
function stringEnd(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH && end - 1 - slashes >= from) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
