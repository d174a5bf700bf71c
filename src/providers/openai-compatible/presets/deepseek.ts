import type { Preset } from '../preset.js';

/** api-docs.deepseek.com: parameters that it does not know are not heeded, and neither are sampling parameters while it thinks. */
export const deepseek: Preset = {
  type: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  environment: { apiKey: 'DEEPSEEK_API_KEY' },
  without: ['n', 'seed', 'logit_bias', 'user', 'parallel_tool_calls'],
  dataset: { genaiPrices: 'deepseek', modelsDev: 'deepseek' },
};
