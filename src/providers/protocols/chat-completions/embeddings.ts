import { copyMember, copyOf } from '../../../wire/members.js';
import type { Embedding, EmbeddingAnswer, EmbeddingRequest } from '../../../wire/embedding.js';
import { usageOf } from '../../../wire/usage.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { ProviderError } from '../../contract/provider-error.js';
import { isText } from '../is-text.js';
import { tokenCount } from '../token-count.js';
import { inBandError } from '../upstream-error.js';
import { vendorError } from '../vendor-error.js';

/** What a model's numbers are in base64, where they are no 32-bit floats; it has no other format then. */
export type Base64Numbers = 'int8' | undefined;

/** The body of a request for embeddings. The format that is usual everywhere is not named. */
export function embeddingsBody(request: EmbeddingRequest, upstreamModel: string, base64: Base64Numbers): JsonObject {
  const body: JsonObject = copyOf(request.extra ?? {});
  body['model'] = upstreamModel;
  copyMember(request, 'input', body);
  for (const name of ['dimensions', 'user'] as const) if (request[name] !== undefined) body[name] = request[name];
  if (request.encoding_format === 'base64' && !base64) body['encoding_format'] = 'base64';
  return body;
}

/** @throws ProviderError where the body is an error, or no list of embeddings */
export function embeddingsIn(body: JsonObject, secrets: readonly string[], base64: Base64Numbers): EmbeddingAnswer {
  const { data, usage } = body;
  if (!Array.isArray(data)) {
    const error = vendorError(body);
    throw error ? inBandError(error, secrets) : new ProviderError('bad_response', 'The provider answered without embeddings');
  }
  const embeddings: Embedding[] = [];
  for (let at = 0; at < data.length; at++) {
    const item: unknown = data[at];
    const index: unknown = isObject(item) ? (item['index'] ?? at) : undefined;
    if (!isObject(item) || typeof index !== 'number' || !Object.hasOwn(data, index) || Object.hasOwn(embeddings, index)) throw wrongList();
    const { embedding } = item;
    embeddings[index] = base64 && isText(embedding) ? [...new Int8Array(Buffer.from(embedding, 'base64'))] : (embedding as Embedding);
  }
  const tokens = isObject(usage) ? (tokenCount(usage['prompt_tokens']) ?? tokenCount(usage['total_tokens'])) : undefined;
  return tokens ? { embeddings, usage: usageOf(tokens, 0) } : { embeddings };
}

function wrongList(): ProviderError {
  return new ProviderError('bad_response', 'The provider’s list of embeddings is none');
}
