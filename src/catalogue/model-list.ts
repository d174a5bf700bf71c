import { quoteOf } from '../common/prices/price-quote.js';
import { dearest } from '../providers/contract/price-decimal.js';
import type { DetailedCapabilities, Model, ModelList, ModelStatus, Performance, PricingComponents } from '../wire/model.js';
import { knownLimit } from './offer.js';
import { capabilitiesOf, type CatalogueModel, eligible, isAble, pricingOf, statusOf } from './catalogue-model.js';
import type { ListModelsQuery } from './list-models.query.js';
import type { LivePerformance } from './live-performance.js';
import type { ModelHealth } from './model-health.js';

/** What the model's price tells beside `pricing`: that of its only active offer, or the dearest of each component. */
function componentsOf({ offers }: CatalogueModel): { pricing_components?: PricingComponents } {
  const quotes = eligible(offers).flatMap(({ price }) => (price ? [quoteOf(price)] : []));
  const { prompt: _prompt, completion: _completion, ...components } = dearest(quotes) ?? { prompt: 0, completion: 0 };
  return Object.keys(components).length > 0 ? { pricing_components: inNumbers(components) } : {};
}

/** Quotes of prices are decimal text; nothing else in them reads as a decimal. */
function inNumbers(components: object): PricingComponents {
  const text = JSON.stringify(components, (_name, value: unknown) =>
    typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value,
  );
  return JSON.parse(text) as PricingComponents;
}

/**
 * The body of GET /v1/models for one account: the models that the query lets through, in the order in which they are
 * given.
 */
export function modelList(
  models: Iterable<CatalogueModel>,
  query: ListModelsQuery,
  performance: Pick<LivePerformance, 'read'>,
  health: ModelHealth,
  account: string,
): ModelList {
  const data: Model[] = [];
  for (const model of models) {
    if (query.provider !== undefined && model.offers.every(({ provider }) => provider.id !== query.provider)) continue;
    if (query.capability && !isAble(model, query.capability)) continue;
    const status = statusOf(model, health, account);
    if (query.active_only && !status.active) continue;
    data.push(modelOf(model, status, performance.read(model.offers), query.include_capabilities));
  }
  return { object: 'list', data };
}

/** @param detailed tells details of the capabilities and the components of the price */
export function modelOf(model: CatalogueModel, status: ModelStatus, performance: Performance, detailed: boolean): Model {
  const [preferred] = model.offers;
  return {
    id: model.id,
    object: 'model',
    created: preferred.created,
    owned_by: preferred.provider.id,
    provider: { id: preferred.provider.id, name: preferred.provider.name },
    pricing: pricingOf(model),
    ...(detailed && componentsOf(model)),
    context_length: preferred.contextLength,
    max_tokens: knownLimit(preferred),
    capabilities: detailed ? detailedCapabilities(model) : capabilitiesOf(model),
    performance,
    status,
  };
}

function detailedCapabilities(model: CatalogueModel): DetailedCapabilities {
  const [preferred] = model.offers;
  return {
    ...capabilitiesOf(model),
    supported_parameters: [...preferred.parameters].sort(),
    input_modalities: preferred.inputModalities,
    output_modalities: preferred.outputModalities,
  };
}
