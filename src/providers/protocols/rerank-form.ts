import { copyMember, copyOf } from '../../wire/members.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { RerankAnswer, RerankRequest } from '../../wire/rerank.js';
import { usageOf } from '../../wire/usage.js';
import { ProviderError } from '../contract/provider-error.js';
import { tokenCount } from './token-count.js';
import { inBandError } from './upstream-error.js';
import { vendorError } from './vendor-error.js';

/** How a server is asked to score texts. */
export interface RerankForm {
  /** The member of the body that has the texts. */
  readonly texts: string;
  /** Whether the body names the model. */
  readonly model: boolean;
  /** What else the body always has. */
  readonly more?: Readonly<JsonObject>;
  /** The member of the answer that has the scores (`list`: the answer is a list itself), and that of a score there. */
  readonly results: string;
  readonly score: string;
}

/** What is the same at Jina (api.jina.ai/redoc), vLLM (docs.vllm.ai/serving/openai_compatible_server) and Cohere. */
export const documentsForm: RerankForm = { texts: 'documents', model: true, results: 'results', score: 'relevance_score' };

/** The vendor is asked for all scores and for no texts. */
export function rerankBody(form: RerankForm, request: RerankRequest, upstreamModel: string): JsonObject {
  const body: JsonObject = { ...copyOf(request.extra ?? {}), ...(form.model && { model: upstreamModel }), ...form.more };
  body['query'] = request.query;
  copyMember(request, 'input', body, form.texts);
  return body;
}

/** @throws ProviderError where the body is an error, or does not have each score once */
export function scoresIn(form: RerankForm, body: JsonObject, secrets: readonly string[]): RerankAnswer {
  const { [form.results]: results, usage } = body;
  if (!Array.isArray(results)) {
    const error = vendorError(body);
    throw error ? inBandError(error, secrets) : new ProviderError('bad_response', 'The provider answered without scores');
  }
  const scores: number[] = [];
  for (const item of results as unknown[]) {
    const { index, [form.score]: score } = isObject(item) ? item : {};
    if (typeof index !== 'number' || !Object.hasOwn(results, index) || Object.hasOwn(scores, index))
      throw new ProviderError('bad_response', 'The provider’s list of scores is none');
    scores[index] = score as number;
  }
  const tokens = isObject(usage) ? (tokenCount(usage['prompt_tokens']) ?? tokenCount(usage['total_tokens'])) : undefined;
  return tokens ? { scores, usage: usageOf(tokens, 0) } : { scores };
}
