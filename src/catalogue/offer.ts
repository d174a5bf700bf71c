import { formatCredits, type Price, parsePrice } from '../common/prices/credits.js';
import type { ModelConfig } from '../config/config.schema.js';
import type { CacheBreakpoint } from '../config/provider.schema.js';
import {
  type EmbeddingLimits,
  type HostedCall,
  type InputCeilings,
  type ModelProvider,
  optionalMethods,
  type ProviderModel,
} from '../providers/contract/model-provider.js';
import { embeddingLimits, requestRules, SWITCHED_OFF } from '../providers/contract/offered-models.js';
import { type Parameter, parameterNames, parameters } from '../providers/contract/parameters.js';
import type { RequestRules } from '../providers/contract/request-rules.js';
import type { Abilities, ModelStatus, Pricing } from '../wire/model.js';
import type { Wire } from '../wire/native.js';

/** A model at one provider, with the operator's overrides applied. An offer is immutable: a refresh makes new ones. */
export interface Offer {
  readonly modelId: string;
  /** The name under which its health and performance are kept, at its provider. */
  readonly watchedAs: string;
  /** `provider/model`, with `watchedAs` as the model. */
  readonly name: string;
  readonly provider: ModelProvider;
  readonly upstreamModel: string;
  /** Its share of the traffic under the weighted strategy, relative to the other offers' weights. */
  readonly weight: number;
  /** Unix timestamp in seconds. */
  readonly created: number;
  /** Undefined when no price is known. */
  readonly price: Price | undefined;
  /** Whether the operator has written the price. */
  readonly ownPrice: boolean;
  readonly pricing: Pricing;
  readonly contextLength: number;
  readonly maxTokens: number;
  /** Output tokens that are asked for where the client names no limit; undefined: `maxTokens`. */
  readonly defaultTokens: number | undefined;
  readonly capabilities: Abilities;
  /** What one call for embeddings may have. */
  readonly embeddings: EmbeddingLimits;
  /** The parameters that it honours; `*` stands for all that the specification does not know. */
  readonly parameters: ReadonlySet<string>;
  /** The parameters of the wire format that neither the offer nor the gateway in its place honours. */
  readonly lacks: readonly Parameter[];
  /** Tokens of one part of a message at most that holds media; absent where nobody has said so. */
  readonly inputCeilings: InputCeilings;
  /** Whether ids that point into the operator's account at the vendor are passed on. */
  readonly accountIds: boolean;
  /** Host and port of the provider, where its files of the operator's account are. */
  readonly ownHost: string | undefined;
  /** Whether addresses of media inside of the operator's network are passed on, and addresses that are no http(s). */
  readonly internalMedia: boolean;
  /** Whether marks of caching in messages and tools are passed on, where what they cost is known. */
  readonly cacheMarks: boolean;
  /** Where the gateway sets such marks for clients that set none; undefined: nowhere. */
  readonly cacheBreakpoints: readonly CacheBreakpoint[] | undefined;
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly status: ModelStatus;
  /** Whether it may generate reasoning beyond `max_tokens`; `asked`: for requests that ask for reasoning. */
  readonly hiddenReasoning: boolean | 'asked';
  /** Whether it continues a conversation that ends with a message of the assistant. */
  readonly continues: boolean;
  /** Whether it fails on purpose, so that its failures do not count against it. */
  readonly simulated: boolean;
  /** Whether test keys alone reach it. */
  readonly testKeysAlone?: boolean;
  /** Whether prompts of legacy completions may be token ids. */
  readonly tokenIdPrompts: boolean;
  /** Whether a `max_tokens` beyond its own is lowered to it; undefined: as `routing.lower_max_tokens` says. */
  readonly lowersMaxTokens: boolean | undefined;
  /** Whether its provider bills for requests that are left before their first token. */
  readonly billsAborted: boolean;
  /** What its provider does beside generating without being asked to, and counts. */
  readonly hostedCalls: readonly HostedCall[];
  /** Types of the hosted tools that it has, without dates. */
  readonly hostedTools: readonly string[];
  /** The format whose settings it reads, and items of such tools; undefined: none. */
  readonly nativeItems: Wire | undefined;
  /** Whether its answers list each of these calls. */
  readonly listsHostedCalls: boolean;
  /** Whether it is inactive only because it has no price, or none for all that it does. */
  readonly unpriced: boolean;
  /** Whether legacy completions are answered through the chat operation. */
  readonly completionsViaChat: boolean;
  /** What its vendor takes of a chat; undefined: no limit is known. */
  readonly rules: RequestRules | undefined;
}

const OPERATIONAL: ModelStatus = { active: true, message: 'Operational' };
const NO_PRICE: ModelStatus = { active: false, message: 'no price set' };

/**
 * Makes an offer of what a provider says of a model and what the operator overrides.
 * @param watchedAs as Offer.watchedAs
 * @throws RangeError when a price is not a decimal of at most 9 places, or a fact that is counted with no whole number
 */
export function offerOf(provider: ModelProvider, model: ProviderModel, override: ModelConfig = {}, watchedAs = model.id): Offer {
  const quoted = override.pricing ?? model.price;
  const capabilities = { ...model.capabilities, ...override.capabilities };
  for (const [ability, method] of optionalMethods) if (!provider[method]) capabilities[ability] = false;
  const allowed = override.completions_via_chat ?? model.completionsViaChat ?? false;
  const completionsViaChat = allowed && capabilities.chat && !capabilities.completion;
  if (completionsViaChat) capabilities.completion = true;
  const status = initialStatus(model, override, quoted !== undefined);
  const supported = { capabilities, parameters: new Set(override.parameters ?? model.parameters) };
  const facts = {
    created: override.created ?? model.created,
    contextLength: override.context_length ?? model.contextLength,
    maxTokens: override.max_tokens ?? model.maxTokens,
  };
  for (const [name, fact] of Object.entries(facts))
    if (!Number.isSafeInteger(fact) || fact < 0) throw new RangeError(`its ${name} is no whole number from 0 on`);
  return {
    ...supported,
    ...facts,
    modelId: model.id,
    watchedAs,
    name: `${provider.id}/${watchedAs}`,
    provider,
    weight: 1,
    upstreamModel: override.upstream_model ?? model.upstreamModel ?? model.id,
    price: quoted && parsePrice(quoted),
    ownPrice: override.pricing !== undefined || (model.ownPrice ?? false),
    pricing: { prompt: Number(quoted?.prompt ?? 0), completion: Number(quoted?.completion ?? 0), unit: '1k_tokens' },
    embeddings: embeddingLimits(model.embeddings, override.embeddings) ?? {},
    lacks: parameterNames.filter((name) => isForOffers(name) && !supports(supported, name)),
    inputCeilings: { ...model.inputCeilings, ...override.input_ceilings },
    accountIds: model.accountIds ?? false,
    ownHost: model.ownHost,
    internalMedia: model.internalMedia ?? false,
    cacheMarks: model.cacheMarks !== false || supported.parameters.has('cache_control'),
    cacheBreakpoints: override.cache_breakpoints ?? model.cacheBreakpoints,
    inputModalities: model.inputModalities ?? (capabilities.vision ? ['text', 'image'] : ['text']),
    outputModalities: model.outputModalities ?? ['text'],
    status,
    hiddenReasoning: override.hidden_reasoning ?? model.hiddenReasoning ?? false,
    continues: override.continues ?? model.continues ?? false,
    simulated: model.simulated ?? false,
    tokenIdPrompts: !completionsViaChat && (override.token_id_prompts ?? model.tokenIdPrompts ?? false),
    lowersMaxTokens: override.lower_max_tokens ?? model.lowersMaxTokens,
    billsAborted: override.bills_aborted ?? model.billsAborted ?? true,
    defaultTokens: override.max_tokens === undefined ? model.defaultTokens : undefined,
    hostedCalls: model.hostedCalls ?? [],
    hostedTools: model.hostedTools ?? [],
    nativeItems: model.nativeItems,
    listsHostedCalls: model.listsHostedCalls ?? false,
    unpriced: status === NO_PRICE,
    completionsViaChat,
    rules: requestRules(model.rules, override.system_messages),
  };
}

/** Output tokens that it is known to generate at most: of a model that no list knows, what each of its kind does. */
export function knownLimit({ defaultTokens, maxTokens }: Pick<Offer, 'defaultTokens' | 'maxTokens'>): number {
  return defaultTokens ?? maxTokens;
}

/** Whether nothing that the offer does costs anything. */
export function isFree({ price }: Pick<Offer, 'price'>): boolean {
  return !price || (price.prompt === 0n && price.completion === 0n && !price.components);
}

export function supports(
  { capabilities, parameters: honoured }: Pick<Offer, 'capabilities' | 'parameters'>,
  parameter: Parameter,
): boolean {
  if (parameter === 'tools') return capabilities.function_calling;
  if (parameter === 'response_format') return capabilities.json_mode;
  return honoured.has(parameter);
}

/** Whether the offer itself has to honour the parameter. */
function isForOffers(parameter: Parameter): boolean {
  const { otherwise } = parameters[parameter];
  return otherwise !== 'ours' && otherwise !== 'always';
}

/** A copy of the offer at another price. */
export function offerAt(offer: Offer, price: Price): Offer {
  const pricing: Pricing = {
    ...offer.pricing,
    prompt: Number(formatCredits(price.prompt)),
    completion: Number(formatCredits(price.completion)),
  };
  return { ...offer, price, pricing };
}

/** The status of an offer before its traffic is known. */
function initialStatus(model: ProviderModel, override: ModelConfig, priced: boolean): ModelStatus {
  if (override.active === false) return { active: false, message: SWITCHED_OFF };
  if (override.active !== true && model.status && !model.status.active) return model.status;
  if (!priced) return NO_PRICE;
  return model.status?.active ? model.status : OPERATIONAL;
}
