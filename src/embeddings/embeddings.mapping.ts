import { copyMember, hasText, valueAt } from '../json/long-text.js';
import type { Embedding, EmbeddingInput, EmbeddingList, EmbeddingRequest, EncodingFormat } from '../wire/embedding.js';
import type { GenerationChunk } from '../wire/generation.js';
import { usageOf } from '../wire/usage.js';
import { encoded } from './encoding.js';
import type { CreateEmbeddingsDto } from './create-embeddings.dto.js';

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
