import { templateRules } from '../../model-facts/template-rules.js';
import { openWeights } from '../input-ceilings.js';
import { samplingExtras } from '../../contract/extra-parameters.js';
import { isObject, type JsonObject } from '../../../wire/json-object.js';
import { dearest, perThousand } from '../../contract/price-decimal.js';
import { flag, factsOf, type ListedFacts } from '../model-facts.js';
import type { ListedModel } from '../model-list.js';
import type { Preset } from '../preset.js';

/**
 * What all providers behind a model have in common. The router may choose any of them, so that limits are the smallest
 * and the price is the highest.
 */
function listed({ providers }: ListedModel): ListedFacts {
  const live = (Array.isArray(providers) ? providers : []).filter((one): one is JsonObject => isObject(one) && one['status'] !== 'error');
  const lengths = live.map((one) => one['context_length']).filter((length) => typeof length === 'number');
  const prices = live.map((one) => {
    const pricing = isObject(one['pricing']) ? one['pricing'] : {};
    return perThousand({ prompt: pricing['input'], completion: pricing['output'] }, 1_000_000);
  });
  const known = prices.filter((price) => price !== undefined);
  return {
    ...(lengths.length > 0 && { contextLength: Math.min(...lengths) }),
    ...(known.length > 0 && known.length === prices.length && { price: dearest(known) }),
    capabilities: {
      ...flag('function_calling', live.length > 0 && live.every((one) => one['supports_tools'] === true)),
      ...flag('json_mode', live.length > 0 && live.every((one) => one['supports_structured_output'] === true)),
    },
  };
}

/**
 * huggingface.co/docs/inference-providers: one address for the models of many vendors; `model:provider` asks one of
 * them.
 */
export const huggingface: Preset = {
  type: 'huggingface',
  name: 'Hugging Face',
  baseUrl: 'https://router.huggingface.co/v1',
  path: '/v1',
  environment: { apiKey: 'HF_TOKEN' },
  without: ['user'],
  leavesOut: (model) => factsOf(model).outputModalities?.includes('text') === false,
  listed,
  dataset: { modelsDev: 'huggingface' },
  extras: [...samplingExtras, 'reasoning', 'thinking', 'chat_template_kwargs'],
  rules: templateRules,
  inputCeilings: () => openWeights,
};
