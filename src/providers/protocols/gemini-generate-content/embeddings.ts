import { copyMember } from '../../../wire/members.js';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../../wire/embedding.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { usageOf } from '../../../wire/usage.js';
import { ProviderError } from '../../contract/provider-error.js';
import { tokenCount } from '../token-count.js';
import { inBandGenerateContentError } from './error.js';

/** Inputs of one call at most (ai.google.dev/gemini-api/docs/embeddings). */
export const MAX_INPUTS = 100;

/** Parameters beyond the wire format that go on: what the embedding is for, and the title of a document. */
export const embeddingParameters = ['task_type', 'title'] as const;

/** How an address of Google's makes embeddings. */
export interface EmbeddingsForm {
  readonly operation: string;
  /** @param model its path */
  readonly body: (request: EmbeddingRequest, model: string) => JsonObject;
  /** @throws ProviderError where the body is an error, or has no embeddings */
  readonly read: (body: JsonObject, secrets: readonly string[]) => EmbeddingAnswer;
}

/** The Gemini API's (ai.google.dev/api/embeddings): each input has all that is asked for. */
export const batchEmbedContents: EmbeddingsForm = { operation: 'batchEmbedContents', body: batchBody, read: embeddingsIn };

function batchBody({ input, dimensions, extra = {} }: EmbeddingRequest, model: string): JsonObject {
  const { task_type, title } = extra;
  return {
    requests: input.map((_, index) => {
      const part = {};
      copyMember(input, `${index}`, part, 'text');
      return { model, content: { parts: [part] }, taskType: task_type, title, outputDimensionality: dimensions };
    }),
  };
}

function embeddingsIn({ embeddings, usageMetadata, error }: JsonObject, secrets: readonly string[]): EmbeddingAnswer {
  if (error !== undefined) throw inBandGenerateContentError(error, secrets);
  if (!Array.isArray(embeddings)) throw new ProviderError('bad_response', 'The provider answered without embeddings');
  const tokens = isObject(usageMetadata) ? tokenCount(usageMetadata['promptTokenCount']) : undefined;
  return {
    embeddings: embeddings.map((one: unknown) => (isObject(one) ? (one['values'] as number[]) : [])),
    ...(tokens && { usage: usageOf(tokens, 0) }),
  };
}
