import { mistralIds } from '../../model-facts/template-rules.js';
import { openaiNames } from '../common-rules.js';
import { copyWith } from '../../../json/long-text.js';
import type { JsonObject } from '../../../wire/json-object.js';
import type { RequestRules } from '../../request-rules.js';
import type { Preset } from '../preset.js';

function inItsWords(body: JsonObject): JsonObject {
  return copyWith(body, { seed: undefined, random_seed: body['seed'], stream_options: undefined });
}

function withItsDimensions(body: JsonObject): JsonObject {
  return copyWith(body, { dimensions: undefined, output_dimension: body['dimensions'] });
}

const mistralRules: RequestRules = {
  developer: false,
  system: 'one',
  silentAssistant: false,
  alternate: true,
  resultMedia: 'behind',
  behindResult: 'Understood.',
  assistantLast: 'prefix',
  callIds: mistralIds,
  functionNames: openaiNames,
  // docs.mistral.ai/capabilities/document_ai/document_qna
  files: { type: 'document_url', name: 'document_name' },
  messageFields: ['prefix'],
  efforts: ['none', 'high'],
  temperature: 1.5,
  toolSchema: { required: true },
};

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
  rules: () => mistralRules,
  inputCeilings: () => ({ image: 4_160 }),
};
