import type { Integer } from './integer.js';

/** Token ids of any vocabulary. */
export const MAX_TOKEN_ID = 2 ** 31 - 1;

/** A text as the ids of its tokens. */
export const tokenIdsSchema = { type: 'array', minItems: 1, items: { type: 'integer', minimum: 0, maximum: MAX_TOKEN_ID } };

/** Whether a value is a list of token ids, and not an empty one. */
export function areTokenIds(value: unknown): value is readonly Integer[] {
  return Array.isArray(value) && value.length > 0 && value.every(isTokenId);
}

export function isTokenId(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKEN_ID;
}

/** How many characters token ids have as JSON without their brackets; a provider may read each of them as a token. */
export function digitsIn(ids: readonly Integer[]): number {
  let digits = 0;
  for (const id of ids) digits += id < 10 ? 1 : Math.floor(Math.log10(id)) + 1;
  return digits;
}
