import { openWeights } from '../input-ceilings.js';
import { samplingExtras } from '../../contract/extra-parameters.js';
import { flag } from '../model-facts.js';
import type { Preset } from '../preset.js';

/** docs.fireworks.ai/api-reference: the list tells what each model supports. */
export const fireworks: Preset = {
  type: 'fireworks',
  name: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  path: '/inference/v1',
  environment: { apiKey: 'FIREWORKS_API_KEY' },
  completions: true,
  tokenIdPrompts: true,
  beyond: ['echo'],
  leavesOut: ({ supports_chat, kind }) => supports_chat === false && kind !== 'HF_BASE_MODEL',
  listed: (model) => ({
    capabilities: {
      ...flag('chat', model['supports_chat']),
      ...flag('vision', model['supports_image_input']),
      ...flag('function_calling', model['supports_tools']),
    },
  }),
  dataset: { genaiPrices: 'fireworks', modelsDev: 'fireworks-ai' },
  extras: [
    ...samplingExtras,
    'reasoning',
    'thinking',
    'metadata',
    'prompt_truncate_len',
    'context_length_exceeded_behavior',
    'prompt_cache_key',
  ],
  dialect: { reasoning: ['reasoning_content'] },
  rules: () => ({ messageFields: [], efforts: ['none', 'low', 'medium', 'high'] }),
  inputCeilings: () => openWeights,
};
