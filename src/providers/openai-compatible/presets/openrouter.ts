import { openaiNames } from '../../model-facts/common-rules.js';
import { openaiCeilings, openWeights } from '../input-ceilings.js';
import { samplingExtras } from '../../contract/extra-parameters.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { isText } from '../../protocols/is-text.js';
import { perThousand } from '../../contract/price-decimal.js';
import type { ProviderPrice } from '../../contract/model-provider.js';
import type { Preset } from '../preset.js';

/** Images are counted as tokens of the prompt; only few models have a price for an image beside that. */
function priceOf(pricing: JsonObject): ProviderPrice | undefined {
  return perThousand(
    {
      prompt: pricing['prompt'],
      completion: pricing['completion'],
      cached_input: pricing['input_cache_read'],
      cached_audio_input: pricing['input_audio_cache'],
      cache_write_5m: pricing['input_cache_write'],
      cache_write_1h: pricing['input_cache_write_1h'],
      audio_input: pricing['audio'],
      audio_output: pricing['audio_output'],
      reasoning_output: pricing['internal_reasoning'],
      request: pricing['request'],
      search: pricing['web_search'],
    },
    1,
  );
}

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
        ...samplingExtras,
        'prompt_cache_key',
      ],
    }),
    ...(isObject(pricing) && { price: priceOf(pricing) }),
  }),
  dataset: { modelsDev: 'openrouter' },
  extras: [...samplingExtras, 'reasoning', 'include_reasoning', 'verbosity', 'metadata', 'prompt_cache_key'],
  hostedCalls: (model) => (model.endsWith(':online') ? ['search'] : []),
  cacheMarks: true,
  // openrouter.ai/docs/features/prompt-caching: other vendors write by themselves, or without a price of its own.
  writesMarked: /^(anthropic|qwen)\//,
  dialect: { reasoning: ['reasoning'] },
  // openrouter.ai/docs/features/multimodal/pdfs
  rules: () => ({ functionNames: openaiNames, fileUrls: 'file_data', originalImages: true }),
  inputCeilings: (model) => (model.startsWith('openai/') ? openaiCeilings(model) : openWeights),
};
