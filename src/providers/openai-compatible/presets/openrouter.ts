import { isObject } from '../../../wire/json-object.js';
import { ANY_OTHER } from '../../parameters.js';
import { isText } from '../../protocols/is-text.js';
import { perThousand } from '../../price-decimal.js';
import type { Preset } from '../preset.js';

/**
 * openrouter.ai/docs: the list tells parameters, limits and US dollars for one token; -1 where the price depends on the
 * route.
 */
export const openrouter: Preset = {
  type: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  path: '/api/v1',
  environment: { apiKey: 'OPENROUTER_API_KEY' },
  listed: ({ pricing, supported_parameters }) => ({
    ...(Array.isArray(supported_parameters) && {
      parameters: [
        ...supported_parameters.filter(isText),
        ...(supported_parameters.includes('reasoning') ? ['reasoning_effort'] : []),
        ANY_OTHER,
      ],
    }),
    ...(isObject(pricing) &&
      Number(pricing['request'] ?? 0) === 0 && { price: perThousand({ prompt: pricing['prompt'], completion: pricing['completion'] }, 1) }),
  }),
  dataset: { modelsDev: 'openrouter' },
};
