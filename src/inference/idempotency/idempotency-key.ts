import { ApiError } from '../../common/api-error.js';
import { jsonPieces } from '../../json/json-pieces.js';

/** Visible ASCII and spaces, which every header can carry. */
const wellFormed = /^[\x20-\x7e]{1,255}$/;

/** @throws ApiError 400 invalid_request */
export function idempotencyKeyOf(header: string | string[]): string {
  if (typeof header === 'string' && wellFormed.test(header)) return header;
  throw new ApiError('invalid_request', 'The header Idempotency-Key must be 1 to 255 printable ASCII characters.');
}

/** JSON with sorted fields, so that bodies that differ in the order of their fields alone have the same text. */
export function canonicalJson(body: unknown): string {
  return JSON.stringify(body, (_name, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

/** The same in pieces, for a body that is large. */
export function canonicalPieces(body: object): Iterable<string> {
  return jsonPieces(body, sortedNames);
}

function sortedNames(holder: object): readonly string[] {
  const names = Object.keys(holder);
  // An object has the names that are numbers first, whatever the order in which they were set.
  return names.length < 2 ? names : Object.keys(Object.fromEntries(names.sort().map((name) => [name, 0])));
}
