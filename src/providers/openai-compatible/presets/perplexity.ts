import { openWeights } from '../input-ceilings.js';
import type { Preset } from '../preset.js';

/**
 * docs.perplexity.ai/api-reference: responses come from a search, which is also paid by the request, or by the
 * search.
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
  extras: [
    'top_k',
    'disable_search',
    'search_domain_filter',
    'search_language_filter',
    'search_recency_filter',
    'search_after_date_filter',
    'search_before_date_filter',
    'last_updated_after_filter',
    'last_updated_before_filter',
    'language_preference',
  ],
  // docs.perplexity.ai/api-reference/embeddings-post
  dialect: { reasoning: [], embeddingsPath: 'v1/embeddings' },
  embeddings: { inputs: 512 },
  rules: () => ({
    developer: false,
    system: 'one',
    alternate: true,
    // docs.perplexity.ai/guides/file-attachments
    files: { type: 'file_url', name: 'file_name', bare: true },
    userFirst: '…',
    assistantLast: 'refused',
    formats: ['text', 'json_schema'],
  }),
  inputCeilings: () => openWeights,
  hostedCalls: () => ['search'],
};
