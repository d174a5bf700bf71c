import type { OfferedModelConfig, ProviderConfig } from '../../../config/config.schema.js';
import type { ProviderModel } from '../../contract/model-provider.js';
import { type KnownModel, offeredModel } from '../../contract/offered-models.js';
import type { ModelTraits } from '../../protocols/anthropic-messages/model-traits.js';
import type { ModelFacts } from '../model-facts.js';
import type { ClaudeModel } from './claude-models.js';
import { claudeRules } from './claude-rules.js';
import { capabilitiesOf, ceilingsOf, factsOf, isClaude, parametersOf } from './claude-facts.js';

/** A model as it is offered, with the traits that the protocol has to know. */
interface OfferedModel {
  readonly model: ProviderModel & { readonly upstreamModel: string };
  readonly traits: ModelTraits;
}

/** Looks up what public data sets say of a model. Their prices, which have all components, count before our own. */
type PublicFacts = (upstreamModel: string) => ModelFacts;

export function listedModels(list: readonly ClaudeModel[], config: ProviderConfig, publicFacts?: PublicFacts): OfferedModel[] {
  return list.map((listed) => modelOf(listed.id, {}, listed, config, publicFacts));
}

export function configuredModels(
  models: Readonly<Record<string, OfferedModelConfig>>,
  config: ProviderConfig,
  publicFacts?: PublicFacts,
): OfferedModel[] {
  return Object.entries(models).map(([id, entry]) => modelOf(id, entry, factsOf(entry.upstream_model ?? id), config, publicFacts));
}

/** A model that is not listed, on the terms of the entry's `open`. */
export function openModel(upstreamModel: string, config: ProviderConfig): ProviderModel | undefined {
  const { open } = config;
  return open && modelOf(upstreamModel, open, factsOf(upstreamModel), config).model;
}

function modelOf(
  id: string,
  entry: OfferedModelConfig,
  facts: ClaudeModel,
  config: ProviderConfig,
  publicFacts?: PublicFacts,
): OfferedModel {
  const known: KnownModel = {
    created: Math.floor(Date.parse(facts.released) / 1_000),
    price: publicFacts?.(entry.upstream_model ?? id).price ?? facts.price,
    contextLength: facts.contextLength,
    maxTokens: facts.traits.maxTokens,
    defaultTokens: facts.traits.defaultTokens,
    capabilities: capabilitiesOf(facts),
    parameters: parametersOf(facts),
    inputCeilings: ceilingsOf(facts),
    rules: claudeRules(facts.traits, isClaude(facts.id)),
  };
  const model = offeredModel(id, entry, known, config);
  return { model, traits: { ...facts.traits, maxTokens: model.maxTokens } };
}
