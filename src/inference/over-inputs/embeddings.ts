import { ProviderError } from '../../providers/contract/provider-error.js';
import { type Embedding, type EmbeddingAnswer, type EmbeddingRequest, floatsOf } from '../../wire/embedding.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { usageOf } from '../../wire/usage.js';
import type { OverInputsOperation } from './operation.js';
import { planEmbeddings } from './plan-embeddings.js';

/** Bytes of a number in memory, and of its JSON. */
const NUMBER_BYTES = 8 + 20;

export const embeddingsOperation: OverInputsOperation<EmbeddingRequest> = {
  plan: planEmbeddings,
  async ask(request, provider, call, offer) {
    if (!provider.embed) throw new ProviderError('model_unavailable', 'the provider has no embeddings');
    return embeddingsChunk(request, await provider.embed(request, call), offer.embeddings.dimensions);
  },
  bytesOf: bytesOfEmbeddings,
};

/**
 * @param dimensions of the model's embeddings, as far as they are known
 * @throws ProviderError bad_response where there is not one embedding with numbers for each input, as many as were asked
 * for, in a format that is certain
 */
function embeddingsChunk(
  { input, dimensions: asked, encoding_format: format }: EmbeddingRequest,
  { embeddings, usage }: EmbeddingAnswer,
  dimensions?: number,
): GenerationChunk {
  if (!Array.isArray(embeddings) || embeddings.length !== input.length) {
    const count = Array.isArray(embeddings) ? embeddings.length : 'no';
    throw new ProviderError('bad_response', `the answer has ${count} embeddings for ${input.length} inputs`);
  }
  const counts = (embeddings as readonly unknown[]).map((one) => (typeof one === 'string' ? floatsIn(one) : numbersIn(one)));
  const [count] = counts;
  if (count === undefined || counts.some((other) => other !== count))
    throw new ProviderError('bad_response', 'the answer has an embedding without numbers, or with another number of them');
  if (count !== (asked ?? count)) throw new ProviderError('bad_response', `the answer has ${count} numbers where ${asked} were asked for`);
  // Base64 that was not asked for is of floats only where it has as many bytes as they have.
  if (format !== 'base64' && count !== (asked ?? dimensions) && embeddings.some((one) => typeof one === 'string'))
    throw new ProviderError('bad_response', 'the answer has embeddings in a format that is not known');
  return {
    choices: [{ index: 0, answers: embeddings, finish_reason: 'stop' }],
    tokens: 0,
    ...(usage && { usage: { ...usage, ...usageOf(usage.prompt_tokens, 0) } }),
  };
}

function bytesOfEmbeddings({ choices }: GenerationChunk): number {
  let bytes = 0;
  for (const { answers = [] } of choices as readonly { answers?: readonly Embedding[] }[])
    for (const one of answers) bytes += typeof one === 'string' ? 2 * one.length : NUMBER_BYTES * one.length;
  return bytes;
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** No number of an embedding is as large, and none but 0 as small as its inverse. Bytes of another format are. */
const TOO_LARGE = 2 ** 64;

function numbersIn(embedding: unknown): number | undefined {
  return Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite) ? embedding.length : undefined;
}

function floatsIn(text: string): number | undefined {
  const floats = base64.test(text) ? floatsOf(text) : undefined;
  return floats?.every(isPlausible) ? floats.length : undefined;
}

function isPlausible(number: number): boolean {
  return number === 0 || (Math.abs(number) < TOO_LARGE && Math.abs(number) > 1 / TOO_LARGE);
}
