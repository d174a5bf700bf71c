import { isObject } from '../wire/json-object.js';

/** Documents of one request, and UTF-8 bytes of all of them together. */
export const MAX_DOCUMENTS = 1_000;
export const MAX_BYTES = 10 * 1024 * 1024;

const text = { type: 'string', minLength: 1 };
export const documentsSchema = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_DOCUMENTS,
  items: { anyOf: [text, { type: 'object', properties: { text }, required: ['text'] }] },
};

/** The text of a document. */
export function textOf(document: unknown): unknown {
  return isObject(document) ? document['text'] : document;
}

/** @returns what is wrong with `documents`, beginning with its path; undefined where nothing is */
export function documentsProblem(documents: unknown): string | undefined {
  if (!Array.isArray(documents) || documents.length === 0) return 'documents must be a non-empty array';
  if (documents.length > MAX_DOCUMENTS) return `documents has ${documents.length} elements, and it may have ${MAX_DOCUMENTS}`;
  let bytes = 0;
  for (const [index, document] of documents.entries()) {
    const given = textOf(document);
    if (typeof given !== 'string' || given === '')
      return `documents[${index}] must be a non-empty string, or an object with a text that is one`;
    bytes += Buffer.byteLength(given);
    if (bytes > MAX_BYTES) return `documents must have at most ${MAX_BYTES} bytes together`;
  }
  return undefined;
}
