import { openWeights } from '../input-ceilings.js';
import type { Preset } from '../preset.js';

/** console.groq.com/docs/openai: what it does not support is refused with 400, names in messages included. */
export const groq: Preset = {
  type: 'groq',
  name: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  path: '/openai/v1',
  environment: { apiKey: 'GROQ_API_KEY' },
  without: ['logprobs', 'top_logprobs', 'logit_bias', 'n'],
  extras: ['reasoning_format', 'include_reasoning', 'documents', 'citation_options', 'disable_tool_validation', 'metadata'],
  leavesOut: ({ id }) => /guard|orpheus|playai/.test(id),
  dialect: { reasoning: ['reasoning'] },
  dataset: { genaiPrices: 'groq', modelsDev: 'groq' },
  rules: () => ({ messageFields: [], efforts: ['none', 'default', 'low', 'medium', 'high'] }),
  inputCeilings: () => openWeights,
  hostedCalls: (model) => (model.includes('compound') ? ['search', 'hosted_call'] : []),
  listsHostedCalls: true,
};
