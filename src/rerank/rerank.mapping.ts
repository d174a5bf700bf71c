import type { GenerationChunk } from '../wire/generation.js';
import { operations } from '../wire/operations.js';
import type { RerankList, RerankRequest, RerankResult } from '../wire/rerank.js';
import { usageOf } from '../wire/usage.js';
import type { CreateRerankDto } from './create-rerank.dto.js';
import { textOf } from './documents-shape.js';

export function rerankRequest({ model, query, documents, extra }: CreateRerankDto): RerankRequest {
  return { operation: 'rerank', model, query, input: documents.map(textOf) as string[], extra, searches: 0, stream: false, n: 1 };
}

/** @param whole one choice for each upstream call, in the order of the documents */
export function rerankList(
  { model, documents, top_n, return_documents }: CreateRerankDto,
  requestId: string,
  { choices, usage = usageOf(0, 0) }: GenerationChunk,
): RerankList {
  const scores = choices.flatMap(({ answers = [] }) => answers as readonly number[]);
  const ranked = scores.map((relevance_score, index): RerankResult => ({ index, relevance_score }));
  const results = ranked.sort((one, other) => other.relevance_score - one.relevance_score).slice(0, top_n ?? undefined);
  if (return_documents) for (const result of results) result.document = { text: textOf(documents[result.index]) as string };
  const { prompt_tokens, server_tool_use: { web_search_requests: searches } = {} } = usage;
  return {
    object: 'list',
    id: operations.rerank.idPrefix + requestId,
    model,
    results,
    usage: { prompt_tokens, total_tokens: prompt_tokens },
    ...(searches && { meta: { billed_units: { search_units: searches } } }),
  };
}
