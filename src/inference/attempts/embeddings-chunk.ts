import { ProviderError } from '../../providers/provider-error.js';
import type { Embedding, EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { usageOf } from '../../wire/usage.js';

/** Bytes of a number in memory, and of its JSON. */
const NUMBER_BYTES = 8 + 20;

/**
 * The answer to one call for embeddings as the pipeline meters it: one choice that has ended, without output tokens.
 * @throws ProviderError bad_response where there is not one embedding with numbers for each input
 */
export function embeddingsChunk({ input }: EmbeddingRequest, { embeddings, usage }: EmbeddingAnswer): GenerationChunk {
  if (!Array.isArray(embeddings) || embeddings.length !== input.length) {
    const count = Array.isArray(embeddings) ? embeddings.length : 'no';
    throw new ProviderError('bad_response', `the answer has ${count} embeddings for ${input.length} inputs`);
  }
  if (!embeddings.every(hasNumbers)) throw new ProviderError('bad_response', 'the answer has an embedding without numbers');
  return {
    choices: [{ index: 0, embeddings, finish_reason: 'stop' }],
    tokens: 0,
    ...(usage && { usage: { ...usage, ...usageOf(usage.prompt_tokens, 0) } }),
  };
}

/** Bytes that embeddings keep until they have been written to the client. */
export function bytesOfEmbeddings({ choices }: GenerationChunk): number {
  let bytes = 0;
  for (const { embeddings = [] } of choices)
    for (const one of embeddings) bytes += typeof one === 'string' ? 2 * one.length : NUMBER_BYTES * one.length;
  return bytes;
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Bytes of a number in base64. */
const FLOAT_BYTES = 4;

function hasNumbers(embedding: unknown): embedding is Embedding {
  if (typeof embedding === 'string') return Buffer.byteLength(embedding, 'base64') % FLOAT_BYTES === 0 && base64.test(embedding);
  return Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite);
}
