import type { DetailedCapabilities, Model, ModelList, ModelStatus, Performance } from '../wire/model.js';
import { knownLimit } from './offer.js';
import { capabilitiesOf, type CatalogueModel, isAble, pricingOf, statusOf } from './catalogue-model.js';
import { componentsOf } from './pricing-components.js';
import type { ListModelsQuery } from './list-models.query.js';
import type { LivePerformance } from './live-performance.js';
import type { ModelHealth } from './model-health.js';

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
