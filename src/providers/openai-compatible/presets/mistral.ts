import { mistralRules } from '../../model-facts/mistral-rules.js';
import { copyWith } from '../../../wire/members.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { Preset } from '../preset.js';

function inItsWords(body: JsonObject): JsonObject {
  return copyWith(body, { seed: undefined, random_seed: body['seed'], stream_options: undefined });
}

function withItsDimensions(body: JsonObject): JsonObject {
  return copyWith(body, { dimensions: undefined, output_dimension: body['dimensions'] });
}

/**
 * docs.mistral.ai/api: fields that it does not know are refused (422), in messages too; usage comes with every stream.
 */
export const mistral: Preset = {
  type: 'mistral',
  name: 'Mistral',
  baseUrl: 'https://api.mistral.ai/v1',
  path: '/v1',
  environment: { apiKey: 'MISTRAL_API_KEY' },
  without: ['logit_bias', 'logprobs', 'top_logprobs', 'user'],
  extras: ['safe_prompt', 'prompt_mode', 'prompt_cache_key'],
  dialect: { body: inItsWords, reasoning: [], embeddings: withItsDimensions },
  // Beyond them it answers 400: too many inputs in a request, too many tokens in a batch.
  embeddings: { inputs: 256, tokens: 16_384 },
  dataset: { genaiPrices: 'mistral', modelsDev: 'mistral' },
  // docs.mistral.ai/capabilities/document_ai/document_qna
  rules: () => ({ ...mistralRules, files: { type: 'document_url', name: 'document_name' } }),
  inputCeilings: () => ({ image: 4_160 }),
};
