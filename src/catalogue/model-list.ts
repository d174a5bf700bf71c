import type { DetailedCapabilities, Model, ModelList, ModelStatus, Performance } from '../wire/model.js';
import { capabilitiesOf, type CatalogueModel, pricingOf, statusOf } from './catalogue-model.js';
import { capabilityWords, type ListModelsQuery } from './list-models.query.js';
import type { LivePerformance } from './live-performance.js';
import type { ModelHealth } from './model-health.js';

/** The list-models answer: filtered, ordered by id. */
export function modelList(
  models: Iterable<CatalogueModel>,
  query: ListModelsQuery,
  performance: Pick<LivePerformance, 'read'>,
  health?: ModelHealth,
): ModelList {
  const flag = query.capability === undefined ? undefined : capabilityWords[query.capability];
  const activeOnly = query.active_only !== 'false';
  const data: Model[] = [];
  for (const model of models) {
    if (query.provider !== undefined && model.offers.every(({ provider }) => provider.id !== query.provider)) continue;
    if (flag && !capabilitiesOf(model)[flag]) continue;
    const status = statusOf(model, health);
    if (activeOnly && !status.active) continue;
    const detailed = query.include_capabilities === 'true';
    data.push(modelOf(model, status, performance.read(model.offers), detailed));
  }
  return { object: 'list', data };
}

function modelOf(model: CatalogueModel, status: ModelStatus, performance: Performance, detailed: boolean): Model {
  const [preferred] = model.offers;
  return {
    id: model.id,
    object: 'model',
    created: preferred.created,
    owned_by: preferred.provider.id,
    provider: { id: preferred.provider.id, name: preferred.provider.name },
    pricing: pricingOf(model),
    context_length: preferred.contextLength,
    max_tokens: preferred.maxTokens,
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
