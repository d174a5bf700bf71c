import { openWeights } from '../input-ceilings.js';
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
  dialect: { reasoning: ['reasoning'] },
  dataset: { genaiPrices: 'cerebras', modelsDev: 'cerebras' },
  rules: () => ({ messageFields: ['name'], efforts: ['none', 'low', 'medium', 'high'] }),
  inputCeilings: () => openWeights,
};
