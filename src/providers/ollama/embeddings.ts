import type { EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { JsonObject } from '../../wire/json-object.js';
import { usageOf } from '../../wire/usage.js';
import { ProviderError } from '../contract/provider-error.js';
import { tokenCount } from '../protocols/token-count.js';
import { inBandOllamaError } from './error.js';
import type { OllamaOptions } from './ollama.type.js';

/** Parameters beyond the wire format that go on. */
export const embeddingParameters = ['truncate'] as const;

/**
 * The body of `api/embed` (docs.ollama.com/api/embed). What is too long is refused where the client does not want it to
 * be cut, as in OpenAI's format; the server would cut it.
 */
export function embedBody({ input, dimensions, extra = {} }: EmbeddingRequest, model: string, options: OllamaOptions): JsonObject {
  const { keep_alive, num_ctx, truncate } = options;
  return {
    model,
    input,
    dimensions,
    truncate: extra['truncate'] ?? truncate,
    keep_alive,
    ...(num_ctx !== undefined && { options: { num_ctx } }),
  };
}

/** @throws ProviderError where the body is an error, or has no embeddings */
export function embeddingsIn({ embeddings, prompt_eval_count, error }: JsonObject, secrets: readonly string[]): EmbeddingAnswer {
  if (error !== undefined) throw inBandOllamaError(error, secrets);
  if (!Array.isArray(embeddings)) throw new ProviderError('bad_response', 'The provider answered without embeddings');
  const tokens = tokenCount(prompt_eval_count);
  return { embeddings: embeddings as EmbeddingAnswer['embeddings'], ...(tokens && { usage: usageOf(tokens, 0) }) };
}
