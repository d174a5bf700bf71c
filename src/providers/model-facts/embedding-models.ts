import type { EmbeddingLimits, ProviderModel } from '../contract/model-provider.js';
import { incapable } from '../../wire/model.js';

interface KnownEmbeddings {
  /** Matches the name after its last slash, in lower case. The first row that matches counts. */
  readonly name: RegExp;
  /** Tokens of one input. */
  readonly context: number;
  /** Numbers of an embedding, where a request does not say how many. */
  readonly dimensions: number;
  /** Takes another number of them in a request. */
  readonly shorter?: true;
  /** What its numbers are in base64, which is all that it answers with; absent: 32-bit floats, where they are asked for. */
  readonly base64?: 'int8';
}

/**
 * Facts of November 2026 from the vendors' model pages (developers.openai.com, ai.google.dev, docs.cohere.com,
 * docs.mistral.ai, docs.aws.amazon.com/bedrock, docs.voyageai.com, docs.perplexity.ai) and from model cards of open weights.
 */
const knownEmbeddings: readonly KnownEmbeddings[] = [
  { name: /^text-embedding-3-large/, context: 8_192, dimensions: 3_072, shorter: true },
  { name: /^text-embedding-3/, context: 8_192, dimensions: 1_536, shorter: true },
  { name: /^text-embedding-ada-002/, context: 8_192, dimensions: 1_536 },
  { name: /^gemini-embedding-001/, context: 2_048, dimensions: 3_072, shorter: true },
  { name: /^gemini-embedding/, context: 8_192, dimensions: 3_072, shorter: true },
  { name: /^text-(multilingual-)?embedding-00/, context: 2_048, dimensions: 768, shorter: true },
  { name: /embed-v4/, context: 128_000, dimensions: 1_536, shorter: true },
  { name: /embed-(english|multilingual)-light-v/, context: 512, dimensions: 384 },
  { name: /embed-(english|multilingual)-v/, context: 512, dimensions: 1_024 },
  { name: /^codestral-embed/, context: 8_192, dimensions: 1_536, shorter: true },
  { name: /^mistral-embed/, context: 8_192, dimensions: 1_024 },
  { name: /titan-embed-text-v2/, context: 8_192, dimensions: 1_024, shorter: true },
  { name: /titan-embed/, context: 8_192, dimensions: 1_536 },
  { name: /^voyage-[34]/, context: 32_000, dimensions: 1_024 },
  { name: /^pplx-embed-.*0\.6b/, context: 32_768, dimensions: 1_024, shorter: true, base64: 'int8' },
  { name: /^pplx-embed-/, context: 32_768, dimensions: 2_560, shorter: true, base64: 'int8' },
  { name: /^qwen3-embedding.*0\.6b/, context: 32_768, dimensions: 1_024, shorter: true },
  { name: /^qwen3-embedding.*4b/, context: 32_768, dimensions: 2_560, shorter: true },
  { name: /^qwen3-embedding/, context: 32_768, dimensions: 4_096, shorter: true },
  { name: /^embeddinggemma/, context: 2_048, dimensions: 768, shorter: true },
  { name: /^nomic-embed-text/, context: 8_192, dimensions: 768, shorter: true },
  { name: /^mxbai-embed-large/, context: 512, dimensions: 1_024, shorter: true },
  { name: /^all-minilm/, context: 512, dimensions: 384 },
  { name: /^bge-m3/, context: 8_192, dimensions: 1_024 },
  { name: /^(bge|e5|multilingual-e5)-large/, context: 512, dimensions: 1_024 },
  { name: /^(bge|e5|multilingual-e5)-base/, context: 512, dimensions: 768 },
  { name: /^(bge|e5|multilingual-e5)-small/, context: 512, dimensions: 384 },
  { name: /^jina-embeddings-v3/, context: 8_192, dimensions: 1_024, shorter: true },
];

/** Names of models of which nothing else is known, and that make embeddings. */
const embeds = /embed|^(bge|gte|e5|multilingual-e5|all-minilm|voyage)-/;

interface EmbeddingFacts {
  /** Absent: nobody knows. */
  readonly contextLength?: number | undefined;
  readonly dimensions?: number | undefined;
  /** Whether it takes `dimensions`. It refuses what it does not take. */
  readonly shorter: boolean;
  readonly base64?: KnownEmbeddings['base64'] | undefined;
}

/** What is known of a model that makes embeddings, by its name; undefined where it makes none. */
export function embeddingFacts(upstreamModel: string): EmbeddingFacts | undefined {
  const name = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1).toLowerCase();
  if (!embeds.test(name)) return undefined;
  const known = knownEmbeddings.find((model) => model.name.test(name));
  if (!known) return { shorter: true };
  const { context, dimensions, shorter = false, base64 } = known;
  return { contextLength: context, dimensions, shorter, base64 };
}

/** What a model is that makes embeddings and nothing else. */
export function embeddingModel(
  { dimensions, shorter }: EmbeddingFacts,
  { inputs, tokens, tokenIds }: Omit<EmbeddingLimits, 'dimensions'>,
  extras: readonly string[] = [],
): Pick<ProviderModel, 'capabilities' | 'embeddings' | 'parameters' | 'inputModalities' | 'outputModalities'> {
  return {
    capabilities: { ...incapable, embeddings: true },
    embeddings: {
      ...(dimensions !== undefined && { dimensions }),
      ...(inputs !== undefined && { inputs }),
      ...(tokens !== undefined && { tokens }),
      ...(tokenIds !== undefined && { tokenIds }),
    },
    parameters: [...(shorter ? ['dimensions'] : []), ...extras],
    inputModalities: ['text'],
    outputModalities: ['embeddings'],
  };
}
