import { openWeights } from '../input-ceilings.js';
import { samplingExtras } from '../../contract/extra-parameters.js';
import { isObject } from '../../../wire/json-object.js';
import { isText } from '../../protocols/is-text.js';
import { perThousand } from '../../contract/price-decimal.js';
import type { Preset } from '../preset.js';

/**
 * docs.together.ai/docs/inference/openai-compatibility. Log probabilities are requested and returned in a shape of its
 * own. The list tells US dollars for a million tokens and the kind of each model.
 */
export const together: Preset = {
  type: 'together',
  name: 'Together AI',
  baseUrl: 'https://api.together.ai/v1',
  path: '/v1',
  environment: { apiKey: 'TOGETHER_API_KEY' },
  completions: true,
  without: ['logprobs', 'top_logprobs', 'user'],
  leavesOut: ({ type }) => isText(type) && !['chat', 'language', 'code'].includes(type),
  listed: ({ type, pricing }) => ({
    ...(type === 'language' && { capabilities: { chat: false } }),
    ...(isObject(pricing) && { price: perThousand({ prompt: pricing['input'], completion: pricing['output'] }, 1_000_000) }),
  }),
  dataset: { genaiPrices: 'together', modelsDev: 'togetherai' },
  extras: [...samplingExtras, 'reasoning', 'chat_template_kwargs', 'context_length_exceeded_behavior'],
  dialect: { reasoning: ['reasoning'] },
  rules: () => ({ developer: false, resultMedia: 'behind', plainText: ['tool'], efforts: ['low', 'medium', 'high'] }),
  inputCeilings: () => openWeights,
};
