import type { OfferedModelConfig, ProviderConfig } from '../../config/config.schema.js';
import { embeddingFacts, embeddingModel } from '../model-facts/embedding-models.js';
import { BEGINNING, claudeRules } from '../model-facts/claude/claude-rules.js';
import type { ModelFacts } from '../model-facts/model-facts.js';
import type { ProviderModel } from '../contract/model-provider.js';
import { type KnownModel, offeredModel } from '../contract/offered-models.js';
import { membersRead } from '../translation/read-members.js';
import type { RequestRules } from '../contract/request-rules.js';
import type { Parameter } from '../contract/parameters.js';
import { chats } from '../../wire/model.js';
import { converseMedia } from './content-blocks.js';
import { embeddingFamily } from './embeddings.js';
import { atProfile, foundationModel } from './model-name.js';
import { invokedTools } from './invoked-messages.js';
import type { ListedModel } from './model-list.js';
import { type BedrockTraits, traitsOf } from './model-traits.js';

/** A model as it is offered, with what has to be known to ask it. */
interface BedrockModel {
  readonly model: ProviderModel & { readonly upstreamModel: string };
  readonly traits: BedrockTraits;
}

/** The terms on which all models of one entry are offered. */
interface Terms {
  readonly config: ProviderConfig;
  /** Of inference profiles, without its dot. */
  readonly prefix: string | undefined;
  readonly publicFacts?: (upstreamModel: string) => ModelFacts;
}

/** The parameters of the wire format that Converse has a place for. */
const spoken = [
  'max_tokens',
  'stop',
  'tools',
  'tool_choice',
  'response_format',
  'temperature',
  'top_p',
  'user',
  'reasoning_effort',
] as const satisfies Parameter[];

/** docs.aws.amazon.com/bedrock/latest/APIReference: Converse, ToolSpecification. */
export const converseRules: RequestRules = {
  userFirst: BEGINNING,
  assistantLast: 'refused',
  callIds: { pattern: /^[\w-]+$/, length: 64 },
  functionNames: { pattern: /^[\w-]+$/, length: 64 },
  argumentsObject: true,
  media: converseMedia,
  reads: membersRead(),
  toolSchema: { rootObject: true },
};

/** Settings of Anthropic's format that InvokeModel does not take. */
const withoutSettings = ['output_config.task_budget', 'tools.eager_input_streaming'];

/** Tokens of an image at most, as Anthropic counts them. */
const CLAUDE_IMAGE = 4_784;

export function listedModels(list: readonly ListedModel[], terms: Terms): BedrockModel[] {
  return list.map(({ id, upstreamModel, vision }) => modelOf(id, { upstream_model: upstreamModel }, terms, vision));
}

/**
 * The models that the operator names. What `upstream_model` says is asked as it is, whatever the prefix of profiles.
 */
export function configuredModels(models: Readonly<Record<string, OfferedModelConfig>>, terms: Terms): BedrockModel[] {
  return Object.entries(models).map(([id, entry]) =>
    modelOf(id, { ...entry, upstream_model: entry.upstream_model ?? atProfile(id, terms.prefix) }, terms),
  );
}

/**
 * A model that is not listed, on the terms of the entry's `open`. An ARN names something of the operator's account: a
 * profile, a prompt, a reserved throughput.
 */
export function openModel(upstreamModel: string, terms: Terms): ProviderModel | undefined {
  const { open, allow_account_ids: account } = terms.config;
  if (!open || (!account && /^arn:|\//.test(upstreamModel))) return undefined;
  return modelOf(upstreamModel, { ...open, upstream_model: atProfile(upstreamModel, terms.prefix) }, terms).model;
}

function modelOf(
  id: string,
  entry: OfferedModelConfig & { upstream_model: string },
  { config, publicFacts }: Terms,
  listedVision?: boolean,
): BedrockModel {
  const base = foundationModel(entry.upstream_model, id);
  const traits = traitsOf(base);
  const facts = publicFacts?.(entry.upstream_model);
  const family = embeddingFamily(base);
  if (family) {
    const byName = embeddingFacts(base) ?? { shorter: true };
    const length = byName.contextLength ?? traits.contextLength;
    const made = embeddingModel(byName, family.limits, family.parameters);
    const known = { created: releasedOn(base), price: facts?.price, contextLength: length, maxTokens: length, ...made };
    return { model: offeredModel(id, entry, known, config), traits };
  }
  const contextLength = facts?.contextLength ?? traits.contextLength;
  const vision = listedVision ?? facts?.capabilities?.vision ?? traits.vision;
  const invoked = traits.family === 'claude' && !config.options['guardrail'];
  const known: KnownModel = {
    created: facts?.created ?? releasedOn(base),
    price: facts?.price,
    contextLength,
    maxTokens: facts?.maxTokens ?? traits.maxTokens,
    defaultTokens: facts?.maxTokens === undefined ? traits.defaultTokens : undefined,
    capabilities: { ...chats, function_calling: traits.tools, vision },
    parameters: parametersOf(traits),
    // A document has as many tokens as there are in it: together they may fill the context.
    inputCeilings: { image: traits.family === 'claude' ? CLAUDE_IMAGE : contextLength, file: contextLength },
    cacheMarks: traits.cached,
    ...(invoked && { nativeItems: 'anthropic-messages', hostedTools: invokedTools }),
    rules: traits.family === 'claude' ? { ...claudeRules(traits), media: converseMedia, withoutSettings } : converseRules,
    inputModalities: vision ? ['text', 'image', 'file'] : ['text', 'file'],
    outputModalities: ['text'],
  };
  const model = offeredModel(id, entry, known, config);
  return { model, traits: { ...traits, maxTokens: model.maxTokens } };
}

function parametersOf({ family, thinking, sampling, tools, cached }: BedrockTraits): string[] {
  const refused = new Set<string>([
    ...(thinking === 'none' ? ['reasoning_effort'] : []),
    ...(sampling ? [] : ['temperature', 'top_p']),
    ...(tools ? [] : ['tools', 'tool_choice']),
  ]);
  const own = [
    ...(sampling && (family === 'claude' || family === 'nova') ? ['top_k'] : []),
    ...(family === 'claude' && thinking !== 'none' ? ['thinking'] : []),
    ...(cached ? ['cache_control'] : []),
  ];
  return [...spoken.filter((name) => !refused.has(name)), ...own];
}

/** Many names have the day of the model's release; 0 where there is none. */
function releasedOn(name: string): number {
  const [, year, month, day] = /-(20\d\d)(\d\d)(\d\d)(?=-|$)/.exec(name) ?? [];
  const released = Date.parse(`${year}-${month}-${day}`);
  return released > 0 ? released / 1_000 : 0;
}
