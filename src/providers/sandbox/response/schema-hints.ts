/**
 * Words and numbers of the user, as material for values that a schema leaves open. They cross to the worker by
 * structured clone.
 */
export interface SchemaHints {
  /** Fills fields that want a whole text. */
  readonly text: string;
  /** Fill fields that want a name or a few words. */
  readonly phrases: readonly string[];
  readonly numbers: readonly number[];
  /** Values of members, each of which stands in the instance where the schema allows it. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Whether members that need not be there are left out. */
  readonly sparse?: boolean;
}

const MAX_TEXT = 400;
const MAX_PHRASES = 20;
/** A quotation, or words with a capital letter that do not begin a sentence. */
const PHRASE = /"([^"]{1,60})"|(?<=[^.!?\s] +)\p{Lu}[\p{L}\p{N}-]*(?: \p{Lu}[\p{L}\p{N}-]*)*/gu;
const NUMBER = /(?<![\p{L}\p{N}.])-?\d{1,12}(?:\.\d{1,6})?(?![\p{L}\p{N}])/gu;

export function schemaHints(question: string, text: string): SchemaHints {
  const said = question.slice(0, MAX_TEXT);
  const phrases = [...said.matchAll(PHRASE)].map((match) => match[1] ?? match[0]).slice(0, MAX_PHRASES);
  return {
    text: text || said || 'An example.',
    phrases: phrases.length > 0 ? phrases : longestWords(said),
    numbers: [...said.matchAll(NUMBER)].map((match) => Number(match[0])).slice(0, MAX_PHRASES),
  };
}

/** What stands between neighbours of an enumeration. */
const JOINT = /^[\s"]*(?:,|and|or|&|,\s*(?:and|or))\s*(?:in |for |at |to |of )?[\s"]*$/i;

/** Phrases that a question enumerates: `Oslo`, `New York` and `Bern` in `the weather in Oslo, New York and Bern`. */
export function phrasesInARow(question: string): string[] {
  const said = question.slice(0, MAX_TEXT);
  const row: string[] = [];
  let end = -1;
  for (const match of said.matchAll(PHRASE)) {
    if (row.length > 0 && !JOINT.test(said.slice(end, match.index))) break;
    row.push(match[1] ?? match[0]);
    end = match.index + match[0].length;
  }
  return [...new Set(row)].slice(0, MAX_PHRASES);
}

function longestWords(text: string): string[] {
  const words = [...new Set(text.match(/\p{L}{3,}/gu))].sort((a, b) => b.length - a.length).slice(0, 3);
  return words.length > 0 ? words : ['example'];
}
