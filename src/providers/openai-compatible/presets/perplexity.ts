import type { Preset } from '../preset.js';

/**
 * docs.perplexity.ai/api-reference: responses come from a search, which is also paid by the request, so that the
 * operator has to set a price for tokens.
 */
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
