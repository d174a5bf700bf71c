import type { InputsRequest } from './inputs-request.js';
import type { Integer } from './integer.js';
import type { Usage } from './usage.js';

/** One upstream call that scores texts by a query. A provider gives all scores: the gateway sorts and cuts. */
export interface RerankRequest extends InputsRequest {
  readonly operation: 'rerank';
  readonly query: string;
  /** The documents, one text each. */
  readonly input: readonly string[];
  /** Search units that it may be billed at most, where the vendor sells searches. */
  readonly searches: Integer;
}

/** What a provider answers. */
export interface RerankAnswer {
  /** One for each input, in their order: the higher, the more relevant. */
  readonly scores: readonly number[];
  /** Absent where the provider does not count; the gateway then estimates. Searches are `server_tool_use`. */
  readonly usage?: Partial<Usage>;
}

/**
 * Response of POST /v1/rerank, as Jina (`usage`) and as Cohere (`meta`) write it (api.jina.ai/redoc,
 * docs.cohere.com/reference/rerank).
 */
export interface RerankList {
  object: 'list';
  id: string;
  model: string;
  /** The most relevant first; where scores are the same, in the order of the documents. */
  results: RerankResult[];
  usage: Pick<Usage, 'prompt_tokens' | 'total_tokens'>;
  /** Only where the vendor sells searches. */
  meta?: { billed_units: { search_units: Integer } };
}

export interface RerankResult {
  /** That of the document in the request. */
  index: Integer;
  relevance_score: number;
  /** With `return_documents`. */
  document?: RankedDocument;
}

export interface RankedDocument {
  text: string;
}
