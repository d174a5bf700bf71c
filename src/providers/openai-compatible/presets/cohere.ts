import type { JsonObject } from '../../../wire/json-object.js';
import type { Preset } from '../preset.js';

/** The vendor knows thinking as on or off only. */
function onOrOff({ reasoning_effort: effort, ...body }: JsonObject): JsonObject {
  if (effort === undefined) return body;
  return { ...body, reasoning_effort: effort === 'none' || effort === 'minimal' ? 'none' : 'high' };
}

/** docs.cohere.com/docs/compatibility-api: a list of what is supported; there is no list of models in this format. */
export const cohere: Preset = {
  type: 'cohere',
  name: 'Cohere',
  baseUrl: 'https://api.cohere.ai/compatibility/v1',
  path: '/compatibility/v1',
  environment: { apiKey: 'COHERE_API_KEY' },
  lists: false,
  models: [
    'command-a-plus-05-2026',
    'command-a-03-2025',
    'command-a-reasoning-08-2025',
    'command-a-vision-07-2025',
    'command-r7b-12-2024',
    'command-r-08-2024',
    'command-r-plus-08-2024',
  ],
  without: ['n', 'logit_bias', 'logprobs', 'top_logprobs', 'user', 'tool_choice', 'parallel_tool_calls'],
  extras: [],
  dialect: { body: onOrOff },
  dataset: { genaiPrices: 'cohere', modelsDev: 'cohere' },
};
