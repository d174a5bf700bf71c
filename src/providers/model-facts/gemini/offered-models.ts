import type { OfferedModelConfig, ProviderConfig } from '../../../config/config.schema.js';
import { base64Of } from '../../translation/data-url.js';
import type { EmbeddingLimits, ProviderModel } from '../../contract/model-provider.js';
import { type KnownModel, offeredModel } from '../../contract/offered-models.js';
import { type Parameter, spokenBy } from '../../contract/parameters.js';
import { embeddingFacts, embeddingModel } from '../embedding-models.js';
import { membersRead } from '../../translation/read-members.js';
import type { RequestRules } from '../../contract/request-rules.js';
import type { ModelFacts } from '../model-facts.js';
import { chats } from '../../../wire/model.js';
import { factsOf, priceOn } from './gemini-facts.js';

/** A model as a list of Google's tells it. */
export interface ListedModel {
  /** The name without `models/`. */
  readonly name: string;
  /** Tokens. */
  readonly inputTokenLimit?: number | undefined;
  /** Tokens. */
  readonly outputTokenLimit?: number | undefined;
}

/** Limits in tokens where the configuration, the API and our own facts say nothing. */
const fallback = { contextLength: 32_768, maxTokens: 8_192 };

const capabilities = { ...chats, vision: true };

/**
 * Parameters that the protocol has, but that the Gemini API refuses for most models (2026-11). An operator whose model
 * accepts them, as some do on Vertex AI, names them in `parameters`.
 */
const refused: ReadonlySet<Parameter> = new Set(['n', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs']);
const samplingParameters: ReadonlySet<string> = new Set(['temperature', 'top_p', 'top_k']);

const parameters = [
  ...spokenBy('gemini-generate-content').filter((name) => !refused.has(name)),
  'top_k',
  'safety_settings',
  'google',
  'extra_body',
];
const withoutSampling = parameters.filter((name) => !samplingParameters.has(name));

/**
 * ai.google.dev/gemini-api/docs/tokens: Gemini 3 and later count up to 2,240 tokens an image, by `media_resolution`;
 * before, an image is cut into tiles of 258 tokens, of which 32 are more than a photograph of any shape has.
 */
const inputCeilings = { image: 8_256 };

/** ai.google.dev/api/caching: FunctionDeclaration. */
export const geminiRules: RequestRules = {
  functionNames: { pattern: /^[a-z_][\w.:-]*$/i, length: 64 },
  argumentsObject: true,
  reads: membersRead(),
  media: { image: base64Of('image/(png|jpeg|webp|heic|heif|gif)') },
};

/** Names of models that support generateContent, but answer neither with text nor with embeddings. */
const otherOutput = /image|banana|tts|audio|live|omni|robotics|computer-use/;

/** What calls for embeddings may have, and the parameters beyond the wire format that go on with them. */
interface EmbeddingTerms extends EmbeddingLimits {
  readonly extras: readonly string[];
}

/** The terms on which all models of one list are offered. */
interface Terms {
  readonly config: ProviderConfig;
  readonly now: Date;
  /** What calls for embeddings may have; absent where they are asked for in another way, and not offered. */
  readonly embeddings?: EmbeddingTerms;
  /** Their prices, which have all components, count before our own. */
  readonly publicFacts?: (upstreamModel: string) => ModelFacts;
}

export function listedModels(list: readonly ListedModel[], terms: Terms): ProviderModel[] {
  const offered = ({ name }: ListedModel) => !otherOutput.test(name) && (terms.embeddings !== undefined || !embeddingFacts(name));
  return list.filter(offered).map((listed) => modelOf(listed.name, {}, listed, terms));
}

export function configuredModels(
  models: Readonly<Record<string, OfferedModelConfig>>,
  list: readonly ListedModel[],
  terms: Terms,
): ProviderModel[] {
  const listed = new Map(list.map((model) => [model.name, model]));
  return Object.entries(models).map(([id, model]) => modelOf(id, model, listed.get(model.upstream_model ?? id), terms));
}

export function openModel(upstreamModel: string, terms: Terms): ProviderModel | undefined {
  const { open } = terms.config;
  return open && modelOf(upstreamModel, open, undefined, terms);
}

/**
 * The configuration counts before our facts, and these before the API's list, which tells limits but nothing about a
 * price.
 */
function modelOf(
  id: string,
  model: OfferedModelConfig,
  listed: ListedModel | undefined,
  { config, now, publicFacts, embeddings }: Terms,
): ProviderModel {
  const upstreamModel = model.upstream_model ?? id;
  const embeds = embeddings && embeddingFacts(upstreamModel);
  if (embeds) {
    const inputs = embeds.contextLength ?? listed?.inputTokenLimit ?? fallback.contextLength;
    const price = publicFacts?.(upstreamModel).price;
    const made = embeddingModel(embeds, embeddings, embeddings.extras);
    return offeredModel(id, model, { created: 0, price, contextLength: inputs, maxTokens: inputs, ...made }, config);
  }
  const facts = factsOf(upstreamModel);
  const contextLength = facts?.contextLength ?? listed?.inputTokenLimit ?? fallback.contextLength;
  // A second of sound is 32 tokens, one of video 300, a page 258 to 1,120: together they may fill the context.
  const whole = { audio: contextLength, video: contextLength, file: contextLength };
  const known: KnownModel = {
    created: facts ? Date.parse(facts.released) / 1_000 : 0,
    price: publicFacts?.(upstreamModel).price ?? (facts && priceOn(facts, now)),
    contextLength,
    maxTokens: facts?.maxTokens ?? listed?.outputTokenLimit ?? fallback.maxTokens,
    capabilities,
    rules: geminiRules,
    parameters: facts?.sampling === false ? withoutSampling : parameters,
    inputCeilings: { ...inputCeilings, ...whole },
    cacheMarks: false,
    inputModalities: ['text', 'image', 'audio', 'file'],
    outputModalities: ['text'],
  };
  return offeredModel(id, model, known, config);
}
