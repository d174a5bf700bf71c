import type { OfferedModelConfig, ProviderConfig } from '../../config/config.schema.js';
import type { Capabilities } from '../../wire/model.js';
import { embeddingExtras, neutralExtras, vouchedFor } from '../contract/extra-parameters.js';
import { type Parameter, spokenBy } from '../contract/parameters.js';
import { embeddingFacts, embeddingModel } from '../model-facts/embedding-models.js';
import { rerankModel, scoresTexts } from '../model-facts/rerank-models.js';
import { mergedFacts, type ModelFacts } from '../model-facts/model-facts.js';
import type { ProviderModel } from '../contract/model-provider.js';
import { type KnownModel, offeredModel } from '../contract/offered-models.js';
import { documentsForm } from '../protocols/rerank-form.js';
import { templateRules } from '../model-facts/template-rules.js';
import { type Abilities, chats, incapable } from '../../wire/model.js';
import { factsOf, type ListedFacts, saysNoText } from './model-facts.js';
import type { ListedModel } from './model-list.js';
import type { Preset } from './preset.js';

const spoken = spokenBy('chat-completions');

/**
 * A server that does not know these parameters gives another response than was asked for, instead of refusing. The
 * preset or the operator has to name them.
 */
const unusual: readonly Parameter[] = ['suffix', 'echo'];

/** The parameters that a model of a compatible server accepts, where the server does not say. */
function takenParameters(
  upstreamModel: string,
  { chat, function_calling, json_mode }: Capabilities,
  preset: Partial<Preset>,
  modelWithout: readonly Parameter[] = [],
): string[] {
  const { without = [], beyond = [], modelWithout: ofPreset, extras = neutralExtras } = preset;
  const refused = new Set<Parameter>([...without, ...(ofPreset?.(upstreamModel) ?? []), ...modelWithout]);
  for (const name of unusual) if (!beyond.includes(name as 'suffix' | 'echo')) refused.add(name);
  if (!chat) for (const name of ['top_logprobs', 'reasoning_effort'] as const) refused.add(name);
  if (!function_calling) for (const name of ['tools', 'tool_choice', 'parallel_tool_calls'] as const) refused.add(name);
  if (!json_mode) refused.add('response_format');
  return [...spoken.filter((name) => !refused.has(name)), ...extras];
}

/** Tokens, where the configuration and the address say nothing; the output limit is then the same. */
const DEFAULT_CONTEXT_LENGTH = 32_768;

/** Of an address without a preset: parameters that some servers know, and that change no price. */
const anyEmbeddings = { tokenIds: true, extras: embeddingExtras };

/**
 * The models that one entry of the configuration offers. The configuration counts before the address, and the address
 * before the preset.
 */
export class OfferedModels {
  constructor(
    private readonly config: ProviderConfig,
    private readonly preset: Partial<Preset> = {},
    private readonly known: (upstreamModel: string) => ModelFacts = () => ({}),
  ) {}

  /** The address's own list, without the models that produce no text. */
  listed(list: readonly ListedModel[]): ProviderModel[] {
    const { leavesOut } = this.preset;
    return list
      .filter((listed) => (!saysNoText(listed) || this.#scores(listed.id)) && !leavesOut?.(listed))
      .map((listed) => this.#model(listed.id, {}, listed));
  }

  configured(models: Readonly<Record<string, OfferedModelConfig>>, list: readonly ListedModel[]): ProviderModel[] {
    const listed = new Map(list.map((model) => [model.id, model]));
    return Object.entries(models).map(([id, model]) => this.#model(id, model, listed.get(model.upstream_model ?? id)));
  }

  #model(id: string, model: OfferedModelConfig, listed: ListedModel | undefined): ProviderModel {
    const upstreamModel = model.upstream_model ?? id;
    const facts = this.#facts(upstreamModel, listed);
    const contextLength = model.context_length ?? facts.contextLength ?? DEFAULT_CONTEXT_LENGTH;
    // What most models do, and the address itself refuses if the model does not.
    const capabilities: Abilities = { ...chats, ...facts.capabilities, ...model.capabilities };
    if (capabilities.rerank && !capabilities.chat)
      return this.#alone(id, model, facts, rerankModel({ inputs: this.#rerank?.inputs }, this.#rerank?.extras));
    if (capabilities.embeddings && !capabilities.chat && !capabilities.completion)
      return this.#embeddingModel(id, model, { ...facts, capabilities });
    const tools = hostedTools(this.config, this.preset);
    const known: KnownModel = {
      created: facts.created ?? 0,
      price: facts.price,
      contextLength,
      maxTokens: facts.maxTokens ?? contextLength,
      capabilities,
      parameters: [
        ...(facts.parameters
          ? vouchedFor(facts.parameters, this.preset.extras ?? neutralExtras)
          : takenParameters(upstreamModel, capabilities, this.preset, facts.without)),
        ...(this.preset.writesMarked?.test(upstreamModel) ? ['cache_control'] : []),
      ],
      cacheMarks: this.preset.type === undefined || this.preset.cacheMarks === true,
      hiddenReasoning: !this.preset.limitsReasoning && (facts.reasoning ?? 'asked'),
      inputCeilings: this.preset.inputCeilings?.(upstreamModel),
      hostedCalls: this.preset.hostedCalls?.(upstreamModel),
      hostedTools: tools,
      nativeItems: hasResponses(this.config, this.preset) ? 'openai-responses' : undefined,
      listsHostedCalls: this.preset.listsHostedCalls,
      // An address without a preset is taken to speak the whole format.
      tokenIdPrompts: this.preset.type === undefined || this.preset.tokenIdPrompts === true,
      inputModalities: facts.inputModalities,
      outputModalities: facts.outputModalities,
      rules: this.preset.type === undefined ? templateRules(upstreamModel) : this.preset.rules?.(upstreamModel),
      status: facts.status,
    };
    return offeredModel(id, model, known, this.config);
  }

  /** A model that only makes embeddings. An address without a preset is taken to speak the whole format. */
  #embeddingModel(id: string, model: OfferedModelConfig, facts: Partial<CompatibleFacts>): ProviderModel {
    const upstreamModel = model.upstream_model ?? id;
    const { type, without = [], embeddings = type === undefined ? anyEmbeddings : {} } = this.preset;
    const byName = embeddingFacts(upstreamModel) ?? { shorter: true };
    const { parameters } = facts;
    const extras = [...(without.includes('user') ? [] : ['user']), ...(embeddings.extras ?? [])].filter(
      (name) => parameters?.includes(name) ?? true,
    );
    const contextLength = facts.contextLength ?? byName.contextLength;
    return this.#alone(id, model, { ...facts, contextLength }, embeddingModel(byName, embeddings, extras));
  }

  /** A model that generates no text. */
  #alone(
    id: string,
    model: OfferedModelConfig,
    { created = 0, price, status, contextLength: known }: Partial<CompatibleFacts>,
    made: ReturnType<typeof embeddingModel>,
  ): ProviderModel {
    const contextLength = model.context_length ?? known ?? DEFAULT_CONTEXT_LENGTH;
    return offeredModel(id, model, { created, price, contextLength, maxTokens: contextLength, ...made, status }, this.config);
  }

  /** An address without a preset is taken to do it. */
  get #rerank(): Preset['rerank'] {
    return this.preset.type === undefined ? documentsForm : this.preset.rerank;
  }

  #scores(upstreamModel: string): boolean {
    return this.#rerank !== undefined && scoresTexts(upstreamModel);
  }

  /** A model that is not listed, on the terms of the entry's `open`. */
  open(upstreamModel: string): ProviderModel | undefined {
    const { open } = this.config;
    return open && this.#model(upstreamModel, open, undefined);
  }

  #facts(upstreamModel: string, listed: ListedModel | undefined): CompatibleFacts {
    const ofPreset = {
      capabilities: {
        ...presetCapabilities(upstreamModel, this.preset),
        ...(embeddingFacts(upstreamModel) && { ...incapable, embeddings: true }),
        ...(this.#scores(upstreamModel) && { ...incapable, rerank: true }),
      },
    };
    if (!listed) return mergedFacts<CompatibleFacts>(ofPreset, this.known(upstreamModel));
    return mergedFacts<CompatibleFacts>(ofPreset, this.known(upstreamModel), factsOf(listed), this.preset.listed?.(listed));
  }
}

type CompatibleFacts = ModelFacts & ListedFacts;

function presetCapabilities(upstreamModel: string, { completions, without = [] }: Partial<Preset>): ListedFacts['capabilities'] {
  const legacy = completions instanceof RegExp && completions.test(upstreamModel);
  return {
    ...(completions === true && { completion: true }),
    ...(legacy && { chat: false, completion: true, function_calling: false, json_mode: false }),
    ...(without.includes('tools') && { function_calling: false }),
  };
}

/** Whether requests in the Responses format are asked in it. */
export function hasResponses({ options }: Pick<ProviderConfig, 'options'>, { responses }: Partial<Preset>): boolean {
  return (options['responses'] ?? responses !== undefined) === true;
}

function hostedTools(config: Pick<ProviderConfig, 'options'>, preset: Partial<Preset>): readonly string[] | undefined {
  if (!hasResponses(config, preset)) return undefined;
  const own = config.options['hosted_tools'];
  return Array.isArray(own) ? own.filter((type) => typeof type === 'string') : preset.hostedTools;
}
