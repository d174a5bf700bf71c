import type { JsonObject } from '../../wire/json-object.js';
import { isObject } from '../../wire/json-object.js';
import type { RerankAnswer } from '../../wire/rerank.js';
import { documentsForm, scoresIn } from '../protocols/rerank-form.js';
import { tokenCount } from '../protocols/token-count.js';

/** Parameters beyond the wire format that go on (docs.cohere.com/reference/rerank). */
export const rerankParameters = ['max_tokens_per_doc', 'priority'] as const;

/** It counts searches in the place of tokens: each is a query with up to 100 documents. */
export function rankedIn(body: JsonObject, secrets: readonly string[]): RerankAnswer {
  const { meta } = body;
  const billed: unknown = isObject(meta) ? meta['billed_units'] : undefined;
  const searches = isObject(billed) ? tokenCount(billed['search_units']) : undefined;
  const answer = scoresIn(documentsForm, body, secrets);
  return searches ? { ...answer, usage: { server_tool_use: { web_search_requests: searches } } } : answer;
}
