import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import { usageOf } from '../../wire/usage.js';
import { ProviderError } from '../contract/provider-error.js';
import { tokenCount } from '../protocols/token-count.js';
import { vendorError } from '../protocols/vendor-error.js';
import { inBandChatError } from './error.js';
import { ownOf } from '../../wire/own-members.js';

/** Texts of one call at most (docs.cohere.com/reference/embed). */
export const MAX_TEXTS = 96;

/** Parameters beyond the wire format that go on. */
export const embeddingParameters = ['input_type', 'truncate'] as const;

/**
 * The body of `v2/embed`. What an embedding is for must be said; it is for a document that is searched where the client
 * says nothing. What is too long is refused where the client does not want it to be cut, as in OpenAI's format.
 */
export function embedBody({ input, dimensions, encoding_format, extra = {} }: EmbeddingRequest, model: string): JsonObject {
  return {
    model,
    texts: input,
    input_type: extra['input_type'] ?? 'search_document',
    embedding_types: [encoding_format],
    output_dimension: dimensions,
    truncate: extra['truncate'] ?? 'NONE',
  };
}

/** @throws ProviderError where the body is an error, or has no embeddings of that format */
export function embeddingsIn(body: JsonObject, format: string, secrets: readonly string[]): EmbeddingAnswer {
  const { embeddings, meta } = body;
  const made: unknown = isObject(embeddings) ? ownOf(embeddings, format) : undefined;
  if (!Array.isArray(made)) {
    const error = vendorError(body);
    throw error ? inBandChatError(error, secrets) : new ProviderError('bad_response', 'The provider answered without embeddings');
  }
  const billed: unknown = isObject(meta) ? meta['billed_units'] : undefined;
  const tokens = isObject(billed) ? tokenCount(billed['input_tokens']) : undefined;
  return { embeddings: made as EmbeddingAnswer['embeddings'], ...(tokens && { usage: usageOf(tokens, 0) }) };
}
