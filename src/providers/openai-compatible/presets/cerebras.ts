import { openWeights } from '../input-ceilings.js';
import { onlyMessageFields } from '../message-fields.js';
import type { Preset } from '../preset.js';

/** inference-docs.cerebras.ai/resources/openai: what it does not support is refused with 400. */
export const cerebras: Preset = {
  type: 'cerebras',
  name: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  path: '/v1',
  environment: { apiKey: 'CEREBRAS_API_KEY' },
  without: ['presence_penalty', 'frequency_penalty', 'logit_bias', 'n'],
  extras: ['reasoning_format', 'clear_thinking', 'disable_reasoning'],
  dialect: { body: (body) => onlyMessageFields(body, ['name', 'reasoning']), reasoning: ['reasoning'] },
  dataset: { genaiPrices: 'cerebras', modelsDev: 'cerebras' },
  rules: () => ({ efforts: ['none', 'low', 'medium', 'high'] }),
  inputCeilings: () => openWeights,
};
