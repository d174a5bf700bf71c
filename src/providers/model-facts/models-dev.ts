import type { Capabilities } from '../../wire/model.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import { isText } from '../protocols/is-text.js';
import { dearest, perThousand } from '../price-decimal.js';
import { positiveInteger } from '../positive-integer.js';
import type { ModelFacts } from './model-facts.js';

/** Facts by vendor and by the vendor's name of a model. */
export type ModelsDev = ReadonlyMap<string, ReadonlyMap<string, ModelFacts>>;

/**
 * Reads the shape of https://models.dev/api.json: vendors by id, each with `models` by name, prices in US dollars for a
 * million tokens.
 * @throws TypeError when it is another shape
 */
export function modelsDevFacts(data: unknown): ModelsDev {
  if (!isObject(data)) throw new TypeError('not an object of providers');
  const vendors = new Map<string, ReadonlyMap<string, ModelFacts>>();
  for (const [vendor, entry] of Object.entries(data)) {
    if (!isObject(entry) || !isObject(entry['models'])) throw new TypeError(`provider '${vendor.slice(0, 100)}' has no models`);
    const models = Object.entries(entry['models']).filter((pair): pair is [string, JsonObject] => isObject(pair[1]));
    vendors.set(vendor, new Map(models.map(([name, model]) => [name, factsOf(model)])));
  }
  return vendors;
}

function factsOf(model: JsonObject): ModelFacts {
  const limit = isObject(model['limit']) ? model['limit'] : {};
  const [context, output] = [positiveInteger(limit['context']), positiveInteger(limit['output'])];
  const released = Date.parse(isText(model['release_date']) ? model['release_date'] : '');
  const price = priceOf(model['cost']);
  return {
    ...(released > 0 && { created: released / 1_000 }),
    ...(price && { price }),
    ...(context && { contextLength: context }),
    ...(output && { maxTokens: output }),
    capabilities: capabilitiesOf(model),
    without: [
      ...(model['reasoning'] === false ? (['reasoning_effort'] as const) : []),
      ...(model['temperature'] === false ? (['temperature', 'top_p'] as const) : []),
    ],
  };
}

/** The highest price for any size of context. Zero is no price: the data set lists plans and previews with it. */
function priceOf(cost: unknown): ModelFacts['price'] {
  if (!isObject(cost)) return undefined;
  const tiers: readonly unknown[] = Array.isArray(cost['tiers']) ? cost['tiers'] : [];
  const all = [cost, cost['context_over_200k'], ...tiers].filter(isObject);
  const prices = all.map(({ input, output }) => perThousand({ prompt: input, completion: output }, 1_000_000));
  const price = dearest(prices.filter((one) => one !== undefined));
  return price && Number(price.prompt) + Number(price.completion) > 0 ? price : undefined;
}

function capabilitiesOf(model: JsonObject): Partial<Capabilities> {
  const modalities = isObject(model['modalities']) ? model['modalities'] : {};
  const { input } = modalities;
  return {
    ...(typeof model['tool_call'] === 'boolean' && { function_calling: model['tool_call'] }),
    ...(typeof model['structured_output'] === 'boolean' && { json_mode: model['structured_output'] }),
    ...(Array.isArray(input) && { vision: input.includes('image') }),
  };
}
