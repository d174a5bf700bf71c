import type { OfferedModelConfig, ProviderConfig } from '../../config/config.schema.js';
import { embeddingFacts, embeddingModel } from '../model-facts/embedding-models.js';
import { rerankModel, scoresTexts } from '../model-facts/rerank-models.js';
import type { ModelFacts } from '../model-facts/model-facts.js';
import type { ProviderModel } from '../contract/model-provider.js';
import { membersRead } from '../translation/read-members.js';
import type { RequestRules } from '../contract/request-rules.js';
import { type KnownModel, offeredModel } from '../contract/offered-models.js';
import type { Parameter } from '../contract/parameters.js';
import { chats } from '../../wire/model.js';
import type { CohereOptions } from './cohere.type.js';
import { embeddingParameters, MAX_TEXTS } from './embeddings.js';
import type { ListedModel } from './model-list.js';
import { rerankParameters } from './rerank.js';

/** Limits in tokens where the configuration, the facts and the list say nothing. */
const fallback = { contextLength: 32_768, maxTokens: 4_096 };

/** What `v2/chat` takes of the wire format. */
const spoken: readonly Parameter[] = [
  'max_tokens',
  'stop',
  'tools',
  'tool_choice',
  'response_format',
  'temperature',
  'top_p',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
];

/** Cohere's own parameters that change neither the price of a request nor what it reaches. */
const extras = ['top_k', 'k', 'thinking', 'documents', 'citation_options', 'safety_mode', 'strict_tools'];

/** Models before Command R7B, which cannot be made to call a tool (docs.cohere.com/reference/chat). */
const chooseFreely = /^command(-light|-nightly)?$|^command-r(-plus)?(-|$)/;

/**
 * docs.cohere.com/docs/image-inputs: an image of up to 1536 x 2048 pixels, in tiles of 512 x 512 and one more, each of
 * which is 256 tokens. Of later models nothing is told: as much as any model of open weights.
 */
const tiledImage = 13 * 256;
const anyImage = 16_384;

/** docs.cohere.com/reference/chat */
export const cohereRules: RequestRules = {
  temperature: 1,
  resultMedia: 'behind',
  media: { image: /^(https?|data):/i },
  reads: membersRead({ image: 'url detail' }),
};

/** The models that one entry offers. The configuration counts before our facts, and these before Cohere's list. */
export class OfferedModels {
  constructor(
    private readonly config: ProviderConfig,
    private readonly options: CohereOptions,
    private readonly known: (upstreamModel: string) => ModelFacts = () => ({}),
  ) {}

  listed(list: readonly ListedModel[]): ProviderModel[] {
    return list.map((listed) => this.#model(listed.name, {}, listed));
  }

  configured(models: Readonly<Record<string, OfferedModelConfig>>, list: readonly ListedModel[]): ProviderModel[] {
    const listed = new Map(list.map((model) => [model.name, model]));
    return Object.entries(models).map(([id, model]) => this.#model(id, model, listed.get(model.upstream_model ?? id)));
  }

  /** A model that is not listed, on the terms of the entry's `open`. */
  open(upstreamModel: string): ProviderModel | undefined {
    const { open } = this.config;
    return open && this.#model(upstreamModel, open, undefined);
  }

  #model(id: string, model: OfferedModelConfig, listed: ListedModel | undefined): ProviderModel {
    const upstreamModel = model.upstream_model ?? id;
    const facts = this.known(upstreamModel);
    const embeds = embeddingFacts(upstreamModel);
    if (embeds) {
      const length = embeds.contextLength ?? facts.contextLength ?? listed?.contextLength ?? fallback.contextLength;
      const made = embeddingModel(embeds, { inputs: MAX_TEXTS }, embeddingParameters);
      return offeredModel(id, model, { created: 0, price: facts.price, contextLength: length, maxTokens: length, ...made }, this.config);
    }
    if (scoresTexts(upstreamModel)) {
      const length = facts.contextLength ?? listed?.contextLength ?? fallback.contextLength;
      const made = { ...rerankModel({}, rerankParameters), hostedCalls: ['search'] as const };
      return offeredModel(id, model, { created: 0, price: facts.price, contextLength: length, maxTokens: length, ...made }, this.config);
    }
    const vision = facts.capabilities?.vision ?? listed?.vision ?? false;
    const tools = facts.capabilities?.function_calling ?? listed?.tools ?? true;
    const known: KnownModel = {
      created: facts.created ?? 0,
      price: facts.price,
      contextLength: facts.contextLength ?? listed?.contextLength ?? fallback.contextLength,
      maxTokens: facts.maxTokens ?? fallback.maxTokens,
      capabilities: { ...chats, function_calling: tools, vision },
      parameters: this.#parameters(upstreamModel, { ...model.capabilities }.function_calling ?? tools, facts.without ?? []),
      cacheMarks: false,
      rules: cohereRules,
      hiddenReasoning: facts.reasoning ?? 'asked',
      inputCeilings: { image: /^(command-a|c4ai-aya)-vision/.test(upstreamModel) ? tiledImage : anyImage },
      inputModalities: vision ? ['text', 'image'] : ['text'],
      outputModalities: ['text'],
    };
    return offeredModel(id, model, known, this.config);
  }

  #parameters(upstreamModel: string, tools: boolean, without: readonly Parameter[]): string[] {
    const refused = new Set<string>([
      ...without,
      ...(tools ? [] : ['tools', 'tool_choice', 'strict_tools']),
      ...(chooseFreely.test(upstreamModel) ? ['tool_choice'] : []),
      ...(without.includes('reasoning_effort') ? ['thinking'] : []),
      ...(this.options.safety_mode ? ['safety_mode'] : []),
    ]);
    return [...spoken, ...extras].filter((name) => !refused.has(name));
  }
}
