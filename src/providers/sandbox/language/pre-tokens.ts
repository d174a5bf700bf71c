/**
 * Cuts a text where tokens may end: a word with the space before it, a number, punctuation, white space. Every
 * character belongs to exactly one pre-token, and no pre-token is longer than 30 characters, which bounds the work of
 * encoding any text.
 */
const PRE_TOKEN = / ?\p{L}{1,24}(?:'\p{L}{1,4}(?!\p{L}))?| ?\p{N}{1,4}| ?[^\s\p{L}\p{N}]{1,8}|\n{1,8}|\s{1,16}(?!\S)|\s/gu;

export function* preTokens(text: string): Generator<string> {
  for (const match of text.matchAll(PRE_TOKEN)) yield match[0];
}
