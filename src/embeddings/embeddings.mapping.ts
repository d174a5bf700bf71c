import { endianness } from 'node:os';
import { copyMember, hasText, valueAt } from '../wire/members.js';
import {
  type Embedding,
  type EmbeddingInput,
  type EmbeddingList,
  type EmbeddingRequest,
  type EncodingFormat,
  floatsOf,
} from '../wire/embedding.js';
import type { GenerationChunk } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import type { CreateEmbeddingsDto } from './create-embeddings.dto.js';

/**
 * An embedding as the client wants it: its numbers, or in base64 their bytes as little-endian 32-bit floats. What the
 * provider has sent in this format stays as it is.
 */
function encoded(embedding: Embedding, format: EncodingFormat): Embedding {
  if (typeof embedding === 'string') return format === 'base64' ? embedding : [...floatsOf(embedding)!];
  return format === 'float' ? embedding : base64Of(embedding);
}

function base64Of(numbers: readonly number[]): string {
  const bytes = Buffer.from(Float32Array.from(numbers).buffer);
  return (endianness() === 'BE' ? bytes.swap32() : bytes).toString('base64');
}

export function embeddingRequest(body: CreateEmbeddingsDto): EmbeddingRequest {
  return {
    operation: 'embeddings',
    model: body.model,
    input: inputsOf(body),
    encoding_format: body.encoding_format ?? 'float',
    dimensions: body.dimensions ?? undefined,
    user: body.user ?? undefined,
    extra: body.extra,
    stream: false,
    n: 1,
  };
}

/** @param whole one choice for each upstream call, in the order of the inputs */
export function embeddingList(model: string, format: EncodingFormat, { choices, usage = usageOf(0, 0) }: GenerationChunk): EmbeddingList {
  const data: EmbeddingList['data'] = [];
  for (const { answers = [] } of choices)
    for (const one of answers as readonly Embedding[])
      data.push({ object: 'embedding', index: data.length, embedding: encoded(one, format) });
  const { prompt_tokens } = usage;
  return { object: 'list', data, model, usage: { prompt_tokens, total_tokens: prompt_tokens } };
}

/** A list as it came stays the same list, so that it can go on as it came. */
function inputsOf(body: CreateEmbeddingsDto): readonly EmbeddingInput[] {
  if (hasText(body, 'input')) {
    const inputs: EmbeddingInput[] = [];
    copyMember(body, 'input', inputs, '0');
    return inputs;
  }
  const { input } = body;
  return typeof valueAt(input as object[], '0') === 'number' ? [input as number[]] : (input as string[] | number[][]);
}
