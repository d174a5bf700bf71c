import { messageOf } from '../common/message-of.js';
import type { Config } from '../config/config.schema.js';
import type { ModelProvider, ProviderModel } from '../providers/contract/model-provider.js';
import type { ModelSwitch } from './model-switch-store.js';
import { missingPriceWarnings, withPricesRequired } from './missing-prices.js';
import { settingsWithoutEffect } from './settings-without-effect.js';
import { type Offer, offerOf } from './offer.js';
import { unlikelyPrices } from './unlikely-prices.js';
import { passthroughOffer } from './passthrough-offer.js';
import { ownOf } from '../wire/own-members.js';

export interface ProviderList {
  readonly provider: ModelProvider;
  readonly models: readonly ProviderModel[];
  /** false: the provider has not told its models yet. */
  readonly complete?: boolean;
}

type Offers = [Offer, ...Offer[]];

export interface MergedOffers {
  /** Offers in order of preference by model id, sorted by id. Aliases and `auto` are ids like any other. */
  readonly offers: ReadonlyMap<string, Offers>;
  /** The ids of the models that aliases stand for. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Sentences for the operator about models that the configuration or a switch names and no provider has. */
  readonly problems: readonly string[];
  /** Sentences for the operator about offers of which a request can use what has no price. */
  readonly missingPrices: readonly string[];
  /** Sentences for the operator about settings that change nothing, and prices that are probably mistakes. */
  readonly doubtful: readonly string[];
}

/** How long a model's name may be: it stands in indexes of the store. */
const MAX_NAME = 512;

/** The id of the model for which the configured policy also chooses the model. */
const AUTO = 'auto';

/**
 * Merges the model lists of all providers. The offers of a model are in the order of the providers, unless the
 * configuration lists them; those that it lists are there for live keys, also at the sandbox. An alias has the offers of
 * its model, and `auto` those of all its models. What is switched off stays in the catalogue, inactive, under every id.
 */
export function mergeOffers(
  lists: readonly ProviderList[],
  config: Pick<Config, 'models' | 'routing' | 'catalogue' | 'sandbox'>,
  switches: readonly ModelSwitch[] = [],
): MergedOffers {
  const offers = new Map<string, Offers>();
  const problems: string[] = [];
  const allTold = lists.every(({ complete }) => complete !== false);
  const unknown = (problem: string): void => {
    if (allTold) problems.push(problem);
  };
  const byProvider = new Map(lists.map((list) => [list.provider.id, list]));
  const required = config.catalogue.missing_prices === 'refuse';
  const leftOut = (id: string, why: unknown): void => {
    const problem = `model '${id.slice(0, MAX_NAME)}' is left out: ${messageOf(why)}`;
    if (!problems.includes(problem)) problems.push(problem);
  };
  const add = (id: string, make: () => Offer): void => {
    try {
      requireName(id);
      const made = make();
      const offer = required ? withPricesRequired(made) : made;
      const others = offers.get(id);
      if (others) others.push(offer);
      else offers.set(id, [offer]);
    } catch (error) {
      leftOut(id, error);
    }
  };

  const testsAlone = lists.every(({ provider }) => provider.forTests);
  const reachedBy = (offer: Offer): Offer =>
    offer.provider.forTests && !(config.sandbox.live ?? (testsAlone && !offer.simulated)) ? { ...offer, testKeysAlone: true } : offer;
  const opened = (list: ProviderList | undefined, id: string): ProviderModel | undefined => {
    try {
      return list?.provider.open?.(id);
    } catch (error) {
      leftOut(id, error);
      return undefined;
    }
  };

  for (const { provider, models } of lists) {
    for (const model of models) {
      const entry = ownOf(config.models, model.id);
      if (!entry?.offers) add(model.id, () => reachedBy(offerOf(provider, model, entry)));
    }
  }
  for (const [id, { offers: listed, ...override }] of Object.entries(config.models)) {
    for (const { provider: providerId, model: listedId = id, weight, ...own } of listed ?? []) {
      const list = byProvider.get(providerId);
      const model = list?.models.find((one) => one.id === listedId) ?? opened(list, listedId);
      if (!list || !model) {
        unknown(`model '${id}' is not offered by ${providerId}: it has no model '${listedId}'`);
        continue;
      }
      const upstreamModel = model.upstreamModel ?? model.id;
      add(id, () => ({ ...offerOf(list.provider, { ...model, id, upstreamModel }, { ...override, ...own }), weight: weight ?? 1 }));
    }
  }
  const passthrough = (id: string): Offers | undefined => {
    const offer = passthroughOffer(
      id,
      (name) => byProvider.get(name)?.provider,
      config,
      (why) => leftOut(id, why),
    );
    return offer && [offer];
  };
  const unlisted = lists.flatMap(({ provider }) => passthrough(`${provider.id}/any-name`) ?? []);
  const known = [...[...offers.values()].flat(), ...unlisted];
  const missingPrices = missingPriceWarnings(known);
  const doubtful = [...settingsWithoutEffect(known), ...unlikelyPrices(known)];
  const aliases = new Map<string, string>();
  for (const [alias, target] of Object.entries(config.routing.aliases)) {
    const aliased = offers.get(target) ?? passthrough(target);
    if (aliased && !offers.has(alias)) {
      offers.set(alias, aliased);
      aliases.set(alias, aliases.get(target) ?? target);
    } else if (aliased) problems.push(`alias '${alias}' is the id of a model`);
    else unknown(`alias '${alias}' names the unknown model '${target}'`);
  }
  const { auto } = config.routing;
  if (auto) {
    const all = auto.models.flatMap((id) => offers.get(id) ?? passthrough(id) ?? []);
    const [first, ...rest] = all;
    if (first) offers.set(AUTO, [first, ...rest]);
    for (const id of auto.models) if (!offers.has(id) && !passthrough(id)) unknown(`auto names the unknown model '${id}'`);
  }
  for (const { model, provider } of switches) {
    const offered = offers.get(model)?.some((offer) => provider === undefined || offer.provider.id === provider);
    if (!offered) unknown(`'${provider ? `${provider}/` : ''}${model}' is switched off, and nobody offers it`);
  }
  const sorted = [...offers].sort(([a], [b]) => (a < b ? -1 : 1));
  const inService = new Map(sorted.map(([id, list]) => [id, switchedOff(id, list, switches)]));
  return { offers: inService, aliases, problems, missingPrices, doubtful };
}

/** One name that a store does not take would keep the prices of all models from it. */
function requireName(id: string): void {
  if (id.length === 0 || id.length > MAX_NAME) throw new RangeError(`a name has 1 to ${MAX_NAME} characters`);
  if (/[\p{Cc}\p{Cs}]/u.test(id)) throw new RangeError('its name has a control character, or half a surrogate pair');
}

export function switchedOff(id: string, offers: Offers, switches: readonly ModelSwitch[]): Offers {
  if (switches.length === 0) return offers;
  return offers.map((offer) => {
    const off = switches.find(
      ({ model, provider }) => (model === id || model === offer.modelId) && (provider === undefined || provider === offer.provider.id),
    );
    return off ? { ...offer, status: { active: false, message: off.message }, unpriced: false } : offer;
  }) as Offers;
}
