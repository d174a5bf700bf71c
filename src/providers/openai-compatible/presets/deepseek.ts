import { openaiNames } from '../../model-facts/common-rules.js';
import { openWeights } from '../input-ceilings.js';
import type { Preset } from '../preset.js';

/** api-docs.deepseek.com: unknown parameters are ignored, and so are parameters of sampling while the model thinks. */
export const deepseek: Preset = {
  type: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  environment: { apiKey: 'DEEPSEEK_API_KEY' },
  without: ['n', 'seed', 'logit_bias', 'user', 'parallel_tool_calls'],
  dataset: { genaiPrices: 'deepseek', modelsDev: 'deepseek' },
  extras: ['thinking'],
  dialect: { reasoning: ['reasoning_content'] },
  rules: () => ({ developer: false, functionNames: openaiNames, formats: ['text', 'json_object'] }),
  inputCeilings: () => openWeights,
  limitsReasoning: true,
};
