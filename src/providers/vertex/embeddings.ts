import { copyMember } from '../../wire/members.js';
import type { Embedding, EmbeddingAnswer } from '../../wire/embedding.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import { usageOf } from '../../wire/usage.js';
import { ProviderError } from '../contract/provider-error.js';
import { inBandGenerateContentError } from '../protocols/gemini-generate-content/error.js';
import { embeddingParameters, type EmbeddingsForm } from '../protocols/gemini-generate-content/embeddings.js';
import { tokenCount } from '../protocols/token-count.js';

/** One text a call: older models take more of them, and newer ones do not. */
export const embeddings = { inputs: 1, extras: embeddingParameters };

/**
 * How a model makes embeddings: `embedContent` from Gemini Embedding 2 on, `predict` before (@google/genai 2.32.0,
 * embedContent; docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api). What is too
 * long is refused, and not cut.
 */
export function embeddingsForm(upstreamModel: string): EmbeddingsForm {
  return upstreamModel.includes('gemini') && upstreamModel !== 'gemini-embedding-001' ? embedContent : predict;
}

const predict: EmbeddingsForm = {
  operation: 'predict',
  body({ input, dimensions, extra = {} }) {
    const { task_type, title } = extra;
    const instance = { task_type, title };
    copyMember(input, '0', instance, 'content');
    return { instances: [instance], parameters: { autoTruncate: false, outputDimensionality: dimensions } };
  },
  read: embeddingIn,
};

const embedContent: EmbeddingsForm = {
  operation: 'embedContent',
  body({ input, dimensions, extra = {} }) {
    const { task_type, title } = extra;
    const part = {};
    copyMember(input, '0', part, 'text');
    const embedContentConfig = { autoTruncate: false, outputDimensionality: dimensions, taskType: task_type, title };
    return { content: { parts: [part] }, embedContentConfig };
  },
  read: embeddingIn,
};

/** @throws ProviderError where the body is an error, or no embedding */
function embeddingIn({ embedding, predictions, usageMetadata, error }: JsonObject, secrets: readonly string[]): EmbeddingAnswer {
  if (error !== undefined) throw inBandGenerateContentError(error, secrets);
  const [prediction] = Array.isArray(predictions) ? (predictions as unknown[]) : [];
  const made = isObject(prediction) ? prediction['embeddings'] : embedding;
  if (!isObject(made)) throw new ProviderError('bad_response', 'The provider answered without embeddings');
  const { values, statistics } = made;
  const counted = isObject(statistics) ? statistics['token_count'] : isObject(usageMetadata) && usageMetadata['promptTokenCount'];
  const tokens = tokenCount(counted);
  return { embeddings: [values as Embedding], ...(tokens && { usage: usageOf(tokens, 0) }) };
}
