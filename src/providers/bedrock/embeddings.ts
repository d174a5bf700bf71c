import { copyMember } from '../../wire/members.js';
import type { Embedding, EmbeddingAnswer, EmbeddingRequest } from '../../wire/embedding.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import { usageOf } from '../../wire/usage.js';
import type { EmbeddingLimits } from '../contract/model-provider.js';
import { ProviderError } from '../contract/provider-error.js';
import { tokenCount } from '../protocols/token-count.js';

/**
 * The bodies of a family of models that make embeddings: InvokeModel passes them on as they are
 * (docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html, Titan Embeddings Text and Cohere Embed).
 */
interface EmbeddingFamily {
  readonly name: RegExp;
  readonly limits: EmbeddingLimits;
  /** Parameters beyond the wire format that go on. */
  readonly parameters: readonly string[];
  readonly body: (request: EmbeddingRequest) => JsonObject;
  readonly embeddings: (answer: JsonObject) => unknown;
}

const titan: EmbeddingFamily = {
  name: /^amazon\.titan-embed-text/,
  limits: { inputs: 1 },
  parameters: ['normalize'],
  body({ input, dimensions, extra = {} }) {
    const body: JsonObject = { dimensions, normalize: extra['normalize'] };
    copyMember(input, '0', body, 'inputText');
    return body;
  },
  embeddings: ({ embedding }) => (embedding === undefined ? undefined : [embedding]),
};

const cohere: EmbeddingFamily = {
  name: /^cohere\.embed/,
  limits: { inputs: 96 },
  parameters: ['input_type', 'truncate'],
  body: ({ input, dimensions, extra = {} }) => ({
    texts: input,
    input_type: extra['input_type'] ?? 'search_document',
    embedding_types: ['float'],
    output_dimension: dimensions,
    truncate: extra['truncate'] ?? 'NONE',
  }),
  embeddings: ({ embeddings }) => (isObject(embeddings) ? embeddings['float'] : embeddings),
};

/** @returns undefined where the model makes no embeddings, or in another way */
export function embeddingFamily(foundationModel: string): EmbeddingFamily | undefined {
  return [titan, cohere].find(({ name }) => name.test(foundationModel));
}

/** The tokens stand in the body, or in a header of every answer of InvokeModel. */
const TOKENS_HEADER = 'x-amzn-bedrock-input-token-count';

/** @throws ProviderError bad_response where there are no embeddings */
export function embeddingsIn(
  answer: JsonObject,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  family: EmbeddingFamily,
): EmbeddingAnswer {
  const embeddings = family.embeddings(answer);
  if (!Array.isArray(embeddings)) throw new ProviderError('bad_response', 'The provider answered without embeddings');
  const tokens = tokenCount(answer['inputTextTokenCount']) ?? tokenCount(Number(headers[TOKENS_HEADER] ?? NaN));
  return { embeddings: embeddings as Embedding[], ...(tokens && { usage: usageOf(tokens, 0) }) };
}
