import type { Preset } from '../preset.js';

/** docs.perplexity.ai/api-reference: answers from a search, which is paid by the request as well, so that a price for tokens alone is the operator's to set. */
export const perplexity: Preset = {
  type: 'perplexity',
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  environment: { apiKey: 'PERPLEXITY_API_KEY' },
  lists: false,
  models: ['sonar', 'sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research'],
  without: ['n', 'seed', 'stop', 'logit_bias', 'logprobs', 'top_logprobs', 'user', 'tools', 'tool_choice', 'parallel_tool_calls'],
  dataset: { genaiPrices: 'perplexity', modelsDev: 'perplexity' },
};
