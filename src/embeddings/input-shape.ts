import { hasSomeText } from '../wire/members.js';
import { isTokenId, MAX_TOKEN_ID, tokenIdsSchema } from '../wire/token-ids.js';

/** Inputs of one request, as in OpenAI's format. */
const MAX_INPUTS = 2_048;

const text = { type: 'string', minLength: 1 };
const several = { type: 'array', minItems: 1, maxItems: MAX_INPUTS };
export const inputSchema = { anyOf: [text, { ...several, items: text }, tokenIdsSchema, { ...several, items: tokenIdsSchema }] };

/** @returns what is wrong with `input`, beginning with its path; undefined where nothing is */
export function inputProblem(input: unknown): string | undefined {
  if (!Array.isArray(input)) {
    return typeof input === 'string' && input !== '' ? undefined : 'input must be a non-empty string or a non-empty array';
  }
  if (input.length === 0) return 'input must be a non-empty string or a non-empty array';
  if (typeof input[0] === 'number') return tokenIdsProblem(input, 'input');
  if (input.length > MAX_INPUTS) return `input has ${input.length} elements, and it may have ${MAX_INPUTS}`;
  if (Array.isArray(input[0])) {
    for (let index = 0; index < input.length; index++) {
      const problem = tokenIdsProblem(input[index], `input[${index}]`);
      if (problem) return problem;
    }
    return undefined;
  }
  for (let index = 0; index < input.length; index++)
    if (!hasSomeText(input, `${index}`)) return `input[${index}] must be a non-empty string, as input has strings`;
  return undefined;
}

export function encodingFormatProblem(format: unknown): string | undefined {
  return format === 'float' || format === 'base64' ? undefined : 'encoding_format must be float or base64';
}

function tokenIdsProblem(ids: unknown, path: string): string | undefined {
  if (!Array.isArray(ids) || ids.length === 0) return `${path} must be a non-empty array of token ids`;
  const wrong = ids.findIndex((id) => !isTokenId(id));
  return wrong < 0 ? undefined : `${path}[${wrong}] must be a token id: an integer from 0 to ${MAX_TOKEN_ID}`;
}
