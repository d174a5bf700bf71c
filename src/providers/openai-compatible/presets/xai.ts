import type { GenerationRequest } from '../../../wire/generation.js';
import type { Preset } from '../preset.js';

/**
 * Chats are sent to the machine that has their beginning in its cache by a header; `prompt_cache_key` is read by the
 * Responses API only (docs.x.ai/developers/advanced-api-usage/prompt-caching). Keys that are no text of a header are
 * left out.
 */
function conversationHeader({ extra }: GenerationRequest): Readonly<Record<string, string>> | undefined {
  const key = extra?.['prompt_cache_key'];
  return typeof key === 'string' && /^[\x21-\x7e]{1,256}$/.test(key) ? { 'x-grok-conv-id': key } : undefined;
}

/**
 * docs.x.ai: models that reason refuse penalties and stop sequences, and from Grok 4.2 on log probabilities are
 * ignored. Names in messages are refused.
 */
export const xai: Preset = {
  type: 'xai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  path: '/v1',
  environment: { apiKey: 'XAI_API_KEY' },
  without: ['logit_bias'],
  modelWithout: (model) => [
    ...(/non-reasoning|^grok-[23](?!-mini)/.test(model)
      ? (['reasoning_effort'] as const)
      : (['presence_penalty', 'frequency_penalty', 'stop'] as const)),
    ...(/^grok-(4\.|[5-9]|build)/.test(model) ? (['logprobs', 'top_logprobs'] as const) : []),
  ],
  leavesOut: ({ id }) => /imagine|image|video|voice/.test(id),
  dialect: { headers: conversationHeader, reasoning: ['reasoning_content'] },
  dataset: { genaiPrices: 'x-ai', modelsDev: 'xai' },
  extras: ['prompt_cache_key'],
  rules: () => ({ noContent: '', messageNames: false }),
  inputCeilings: () => ({ image: 1_792 }),
};
