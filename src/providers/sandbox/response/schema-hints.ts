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

function longestWords(text: string): string[] {
  const words = [...new Set(text.match(/\p{L}{3,}/gu))].sort((a, b) => b.length - a.length).slice(0, 3);
  return words.length > 0 ? words : ['example'];
}
