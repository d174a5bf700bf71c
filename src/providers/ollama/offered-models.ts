import type { OfferedModelConfig, ProviderConfig } from '../../config/config.schema.js';
import type { ProviderModel } from '../contract/model-provider.js';
import { type KnownModel, offeredModel } from '../contract/offered-models.js';
import { membersRead } from '../translation/read-members.js';
import type { RequestRules } from '../contract/request-rules.js';
import type { Parameter } from '../contract/parameters.js';
import { base64Of } from '../translation/data-url.js';
import { embeddingFacts, embeddingModel } from '../model-facts/embedding-models.js';
import { incapable } from '../../wire/model.js';
import { embeddingParameters } from './embeddings.js';
import type { ListedModel } from './model-list.js';
import { templateRules } from '../model-facts/template-rules.js';
import { optionNames } from './model-options.js';
import { type ModelTraits, usualThinking } from './model-traits.js';
import type { OllamaOptions } from './ollama.type.js';

/** Tokens, where neither the server nor the configuration says how many. */
const DEFAULT_CONTEXT_LENGTH = 32_768;

/** What a model is taken to do of which the server tells nothing, which refuses what it does not. */
const usual: readonly string[] = ['completion', 'tools', 'thinking', 'insert'];

/** Parameters that the vendor takes for all models. */
const common: readonly Parameter[] = [
  'max_tokens',
  'stop',
  'response_format',
  'logprobs',
  'top_logprobs',
  'temperature',
  'top_p',
  'seed',
  'presence_penalty',
  'frequency_penalty',
];

/** What an image counts at most at models of open weights, whose preprocessors cut it into so many parts. */
const inputCeilings = { image: 16_384 };

/** A schema binds the answer, and the model is not shown it. */
const reads = membersRead({ audio: 'data', tool: 'name description parameters', schema: 'name schema strict' });

/** github.com/ollama/ollama: the templates of models, or renderers that refuse the same. */
export const ollamaRules = (upstreamModel: string): RequestRules => ({
  ...templateRules(upstreamModel),
  media: { image: base64Of('[^,;]*'), audio: /^/ },
  toolSchema: { objectProperties: true },
  reads,
});

/** A model as it is offered, and what a request has to know of it. */
interface OllamaModel {
  readonly model: ProviderModel & { readonly upstreamModel: string };
  readonly traits: ModelTraits;
}

/** The terms on which all models of one entry are offered. */
interface Terms {
  readonly config: ProviderConfig;
  readonly options: OllamaOptions;
}

/** Traits of a model that was not listed. */
export const unknownTraits: ModelTraits = { thinking: usualThinking };

/** The server's own list, without the models that neither write text nor make embeddings. */
export function listedModels(list: readonly ListedModel[], terms: Terms): OllamaModel[] {
  return list
    .filter(({ facts }) => !facts?.capabilities || facts.capabilities.some((one) => one === 'completion' || one === 'embedding'))
    .map((listed) => modelOf(listed.name, {}, listed, terms));
}

export function configuredModels(
  models: Readonly<Record<string, OfferedModelConfig>>,
  list: readonly ListedModel[],
  terms: Terms,
): OllamaModel[] {
  const listed = new Map(list.map((model) => [model.name, model]));
  return Object.entries(models).map(([id, model]) => modelOf(id, model, listed.get(tagged(model.upstream_model ?? id)), terms));
}

/** A model that is not listed, on the terms of the entry's `open`. */
export function openModel(upstreamModel: string, terms: Terms): ProviderModel | undefined {
  const { open } = terms.config;
  return open && modelOf(upstreamModel, open, undefined, terms).model;
}

/** The vendor's whole name of a model: a name without a tag means `latest`. */
export function tagged(name: string): string {
  return name.includes(':', name.lastIndexOf('/') + 1) ? name : `${name}:latest`;
}

function modelOf(id: string, model: OfferedModelConfig, listed: ListedModel | undefined, { config, options }: Terms): OllamaModel {
  const facts = listed?.facts;
  const byName = embeddingFacts((model.upstream_model ?? id).replace(/:.*/, ''));
  const can = new Set(facts?.capabilities ?? (byName ? ['embedding'] : usual));
  const traits = facts ?? unknownTraits;
  const most = facts?.contextLength ?? Infinity;
  const loaded = options.num_ctx ?? facts?.numCtx ?? facts?.contextLength ?? DEFAULT_CONTEXT_LENGTH;
  const contextLength = Math.min(loaded, most);
  const writes = can.has('completion');
  if (!writes && can.has('embedding')) {
    const { contextLength: usualLength, dimensions } = byName ?? {};
    const length = Math.min(options.num_ctx ?? Infinity, facts?.contextLength ?? usualLength ?? DEFAULT_CONTEXT_LENGTH);
    const made = embeddingModel({ dimensions: facts?.embeddingLength ?? dimensions, shorter: true }, {}, embeddingParameters);
    const known = { created: listed?.modified ?? 0, contextLength: length, maxTokens: length, ...made };
    return { model: offeredModel(id, model, known, config), traits };
  }
  const known: KnownModel = {
    created: listed?.modified ?? 0,
    contextLength,
    maxTokens: contextLength,
    capabilities: {
      ...incapable,
      chat: writes,
      completion: writes,
      function_calling: can.has('tools'),
      vision: can.has('vision'),
      json_mode: writes,
    },
    parameters: [
      ...common,
      ...(can.has('tools') ? ['tools'] : []),
      ...(can.has('insert') ? ['suffix'] : []),
      ...(traits.thinking.length > 0 ? ['reasoning_effort', 'reasoning', 'think'] : []),
      ...optionNames,
    ],
    inputCeilings,
    rules: ollamaRules(model.upstream_model ?? id),
    cacheMarks: false,
    inputModalities: ['text', ...(can.has('vision') ? ['image'] : []), ...(can.has('audio') ? ['audio'] : [])],
    outputModalities: ['text'],
  };
  return { model: offeredModel(id, model, known, config), traits };
}
