import { formatCredits, type Price, parsePrice } from '../common/credits.js';
import type { ModelConfig } from '../config/config.schema.js';
import type { ModelProvider, ProviderModel } from '../providers/model-provider.js';
import { SWITCHED_OFF } from '../providers/offered-models.js';
import { type Parameter, parameterNames, parameters } from '../providers/parameters.js';
import type { Capabilities, ModelStatus, Pricing } from '../wire/model.js';

/** A model at one provider, with the operator's overrides applied. Immutable: a refresh makes new ones. */
export interface Offer {
  readonly modelId: string;
  /** Under which its health and figures are kept, at its provider. */
  readonly watchedAs: string;
  /** `provider/model`, the latter as it is watched. */
  readonly name: string;
  readonly provider: ModelProvider;
  readonly upstreamModel: string;
  /** Share of the traffic under the weighted strategy, against the other offers' weights. */
  readonly weight: number;
  /** Unix timestamp in seconds. */
  readonly created: number;
  /** Undefined: no price is known. */
  readonly price: Price | undefined;
  readonly pricing: Pricing;
  readonly contextLength: number;
  readonly maxTokens: number;
  readonly capabilities: Capabilities;
  /** Names of the parameters that it honours; `*` stands for all that the specification does not know. */
  readonly parameters: ReadonlySet<string>;
  /** Those of the wire format that it does not honour and that nobody honours in its place. */
  readonly lacks: readonly Parameter[];
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  readonly status: ModelStatus;
  /** Goes on with a last message of the assistant. */
  readonly continues: boolean;
  /** Its failures are part of what it answers. */
  readonly simulated: boolean;
  /** Inactive for want of a price alone. */
  readonly unpriced: boolean;
  /** Legacy completions are answered through the chat operation. */
  readonly completionsViaChat: boolean;
}

const OPERATIONAL: ModelStatus = { active: true, message: 'Operational' };
const NO_PRICE: ModelStatus = { active: false, message: 'no price set' };

/**
 * @param watchedAs as Offer.watchedAs
 * @throws RangeError when a price is not a decimal of at most 9 places.
 */
export function offerOf(provider: ModelProvider, model: ProviderModel, override: ModelConfig = {}, watchedAs = model.id): Offer {
  const quoted = override.pricing ?? model.price;
  const capabilities = { ...model.capabilities, ...override.capabilities };
  const allowed = override.completions_via_chat ?? model.completionsViaChat ?? false;
  const completionsViaChat = allowed && capabilities.chat && !capabilities.completion;
  if (completionsViaChat) capabilities.completion = true;
  const status = statusOf(model, override, quoted !== undefined);
  const taken = { capabilities, parameters: new Set(override.parameters ?? model.parameters) };
  return {
    ...taken,
    modelId: model.id,
    watchedAs,
    name: `${provider.id}/${watchedAs}`,
    provider,
    weight: 1,
    upstreamModel: override.upstream_model ?? model.upstreamModel ?? model.id,
    created: override.created ?? model.created,
    price: quoted && parsePrice(quoted),
    pricing: { prompt: Number(quoted?.prompt ?? 0), completion: Number(quoted?.completion ?? 0), unit: '1k_tokens' },
    contextLength: override.context_length ?? model.contextLength,
    maxTokens: override.max_tokens ?? model.maxTokens,
    lacks: parameterNames.filter((name) => isForOffers(name) && !supports(taken, name)),
    inputModalities: model.inputModalities ?? (capabilities.vision ? ['text', 'image'] : ['text']),
    outputModalities: model.outputModalities ?? ['text'],
    status,
    continues: override.continues ?? model.continues ?? false,
    simulated: model.simulated ?? false,
    unpriced: status === NO_PRICE,
    completionsViaChat,
  };
}

export function supports({ capabilities, parameters: taken }: Pick<Offer, 'capabilities' | 'parameters'>, parameter: Parameter): boolean {
  if (parameter === 'tools') return capabilities.function_calling;
  if (parameter === 'response_format') return capabilities.json_mode;
  return taken.has(parameter);
}

/** Whether it is for the offer to honour it. */
function isForOffers(parameter: Parameter): boolean {
  const { otherwise } = parameters[parameter];
  return otherwise !== 'ours' && otherwise !== 'always';
}

/** The offer at another price than its own. */
export function offerAt(offer: Offer, price: Price): Offer {
  const pricing: Pricing = {
    ...offer.pricing,
    prompt: Number(formatCredits(price.prompt)),
    completion: Number(formatCredits(price.completion)),
  };
  return { ...offer, price, pricing };
}

function statusOf(model: ProviderModel, override: ModelConfig, priced: boolean): ModelStatus {
  if (override.active === false) return { active: false, message: SWITCHED_OFF };
  if (override.active !== true && model.status && !model.status.active) return model.status;
  if (!priced) return NO_PRICE;
  return model.status?.active ? model.status : OPERATIONAL;
}
