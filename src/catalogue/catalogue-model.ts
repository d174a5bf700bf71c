import { type Abilities, type Capabilities, capabilityNames, type ModelStatus, type Pricing } from '../wire/model.js';
import type { ModelHealth } from './model-health.js';
import type { Offer } from './offer.js';

/** A model of the catalogue, with its offers in order of preference. */
export interface CatalogueModel {
  /** The id by which it is listed and found. */
  readonly id: string;
  /** The id that it has in the configuration, records, prices and metrics: another one where `id` is an alias of it. */
  readonly modelId: string;
  readonly offers: readonly [Offer, ...Offer[]];
}

/** A model is active while one of its offers is active and not paused. Otherwise the first offer's reason counts. */
export function statusOf({ offers }: Pick<CatalogueModel, 'offers'>, health: ModelHealth, account: string): ModelStatus {
  let reason: ModelStatus | undefined;
  for (const offer of offers) {
    const status = offer.status.active ? (health.statusOf(offer, account) ?? offer.status) : offer.status;
    if (status.active) return status;
    reason ??= status;
  }
  return reason!;
}

/** A flag is set when at least one active offer has it. */
export function capabilitiesOf(model: CatalogueModel): Capabilities {
  return Object.fromEntries(capabilityNames.map((name) => [name, isAble(model, name)])) as unknown as Capabilities;
}

export function isAble({ offers }: CatalogueModel, ability: keyof Abilities): boolean {
  return eligible(offers).some(({ capabilities }) => capabilities[ability]);
}

/** The highest prices that a request can be charged: each one is that of the dearest active offer. */
export function pricingOf({ offers }: CatalogueModel): Pricing {
  const prices = eligible(offers).map(({ pricing }) => pricing);
  return {
    prompt: Math.max(...prices.map(({ prompt }) => prompt)),
    completion: Math.max(...prices.map(({ completion }) => completion)),
    unit: '1k_tokens',
  };
}

export function eligible(offers: readonly Offer[]): readonly Offer[] {
  const active = offers.filter(({ status }) => status.active);
  return active.length > 0 ? active : offers;
}
