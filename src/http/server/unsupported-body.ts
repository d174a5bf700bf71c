import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/api-error.js';

const plainJson = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-?8"?)?\s*;?\s*$/i;

/** @returns 415 for a body that the JSON parser would misread: compressed, or in another charset than UTF-8 */
export function unsupportedBody({ headers }: FastifyRequest): ApiError | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return new ApiError('unsupported_media_type', 'Compressed request bodies are not supported. Send the body without content-encoding.');
  const type = headers['content-type'];
  if (type !== undefined && type !== 'application/json' && /^application\/json\b/i.test(type) && !plainJson.test(type))
    return new ApiError('unsupported_media_type', 'JSON is read as UTF-8. Send the header content-type: application/json.');
  return undefined;
}
