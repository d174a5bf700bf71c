import { ProviderError } from '../../contract/provider-error.js';
import { ownOf } from '../../../wire/own-members.js';

const MAX_NODES = 5_000;
const MAX_DEPTH = 64;
const MAX_TEXT = 10_000;
/** Keywords that force an instance to a minimum size, with the largest minimum that is accepted. */
const sizes: Readonly<Record<string, number>> = { minLength: 10_000, minItems: 500, minProperties: 500, minContains: 500 };
const references = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
/** Keywords whose values are data instead of schemas. */
const data = new Set(['enum', 'const', 'default', 'examples']);

/**
 * Refuses, before any work is done, schemas that are too large, force a huge instance or refer to anything outside
 * themselves. Nothing is ever fetched.
 * @throws ProviderError invalid_request
 */
export function checkSchema(schema: Readonly<Record<string, unknown>>): void {
  let nodes = 0;
  const walk = (node: unknown, depth: number, isData: boolean): void => {
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) throw schemaError('it is too large or too deep');
    if (typeof node === 'string' && node.length > MAX_TEXT) throw schemaError('it holds a text that is too long');
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (!isData) checkKeyword(key, value);
      walk(value, depth + 1, isData || data.has(key));
    }
  };
  walk(schema, 0, false);
}

function checkKeyword(key: string, value: unknown): void {
  if (typeof value === 'number' && value > (ownOf(sizes, key) ?? Infinity)) throw schemaError(`${key} is larger than ${ownOf(sizes, key)}`);
  if (typeof value === 'string' && references.has(key) && !value.startsWith('#'))
    throw schemaError(`the reference '${value}' leads out of it`);
}

export function schemaError(problem: string, cause?: unknown): ProviderError {
  return new ProviderError('invalid_request', `The JSON schema cannot be answered: ${problem}`, { cause });
}
