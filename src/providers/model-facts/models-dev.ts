import type { Capabilities } from '../../wire/model.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import { isText } from '../protocols/is-text.js';
import type { LevelQuote, TierQuote } from '../../common/prices/credits.js';
import { isStandardTier, serviceTierName } from '../../wire/service-tier.js';
import type { Component } from '../../wire/price-component.js';
import { perThousand } from '../contract/price-decimal.js';
import { positiveInteger } from './positive-integer.js';
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
  const price = priceOf(model);
  return {
    ...(released > 0 && { created: released / 1_000 }),
    ...(price && { price }),
    ...(context && { contextLength: context }),
    ...(output && { maxTokens: output }),
    ...(typeof model['reasoning'] === 'boolean' && { reasoning: model['reasoning'] }),
    capabilities: capabilitiesOf(model),
    without: [
      ...(model['reasoning'] === false ? (['reasoning_effort'] as const) : []),
      ...(model['temperature'] === false ? (['temperature', 'top_p'] as const) : []),
    ],
  };
}

/** Zero is no price: the data set lists plans and previews with it. */
function priceOf({ cost, experimental }: JsonObject): ModelFacts['price'] {
  const price = levelOf(cost);
  if (!price || Number(price.prompt) + Number(price.completion) === 0) return undefined;
  const services = isObject(experimental) ? serviceTiersOf(experimental['modes']) : {};
  return Object.keys(services).length > 0 ? { ...price, service_tiers: services } : price;
}

function levelOf(cost: unknown): ModelFacts['price'] {
  if (!isObject(cost)) return undefined;
  const price = perThousand({ prompt: cost['input'], completion: cost['output'], ...namedIn(cost) }, 1_000_000);
  const tiers = tiersOf(cost);
  return price && tiers.length > 0 ? { ...price, tiers } : price;
}

/** Modes of a model that a request has by its `service_tier` alone. */
function serviceTiersOf(modes: unknown): Record<string, LevelQuote> {
  const services: Record<string, LevelQuote> = {};
  for (const mode of isObject(modes) ? Object.values(modes) : []) {
    if (!isObject(mode) || !isObject(mode['provider'])) continue;
    const { body, headers } = mode['provider'];
    const name = isObject(body) && headers === undefined && Object.keys(body).length === 1 ? body['service_tier'] : undefined;
    const level = levelOf(mode['cost']);
    if (isText(name) && serviceTierName.test(name) && !isStandardTier(name) && level) services[name] = level;
  }
  return services;
}

/** `context_over_200k` is how the data set told tiers before it had `tiers`. */
function tiersOf(cost: JsonObject): TierQuote[] {
  const listed: readonly unknown[] = Array.isArray(cost['tiers']) ? cost['tiers'] : [];
  const tiers = listed
    .filter(isObject)
    .map((tier) => ({ cost: tier, above: isObject(tier['tier']) ? positiveInteger(tier['tier']['size']) : undefined }));
  const older = cost['context_over_200k'];
  if (tiers.length === 0 && isObject(older)) tiers.push({ cost: older, above: 200_000 });
  return tiers.flatMap(({ cost: told, above }) => {
    const price = perThousand({ prompt: told['input'], completion: told['output'], ...namedIn(told) }, 1_000_000);
    return above !== undefined && price ? [{ above, ...price }] : [];
  });
}

function namedIn(cost: JsonObject): Partial<Record<Component, unknown>> {
  return {
    cached_input: cost['cache_read'],
    cache_write_5m: cost['cache_write'],
    audio_input: cost['input_audio'],
    audio_output: cost['output_audio'],
    reasoning_output: cost['reasoning'],
  };
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
