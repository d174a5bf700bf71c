import { withoutNames } from '../message-fields.js';
import type { Preset } from '../preset.js';

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
  dialect: { body: withoutNames },
  dataset: { genaiPrices: 'x-ai', modelsDev: 'xai' },
};
