import { ANY_TIER, isStandardTier } from '../../wire/service-tier.js';
import { isWithin } from './price-hours.js';
import { baseLevel, priceComponents, type PriceLevel, type PriceVariant, type Rates } from './price-components.js';

/** What decides, beside the counts, which price of an offer is charged. */
export interface ChargedWhen {
  /** Milliseconds since 1970: a request costs what is in force when it begins. */
  readonly startedAt: number;
  /** What the request asks for, where it asks. */
  readonly serviceTier?: string | undefined;
}

/** A level with the name of its variant; the base has none. */
export type NamedLevel = PriceLevel & Pick<Partial<PriceVariant>, 'name'>;

/** The price of the service tier; undefined where the price does not tell it. */
export function serviceTierOf({ components }: Rates, name: string): PriceVariant | undefined {
  return components?.variants.find((variant) => !variant.hours && variant.name === name);
}

/** The price of a request at the tier that its vendor says it was served at; undefined where that has no price. */
export function reportedLevel(price: Rates, reported: string, startedAt: number): NamedLevel | undefined {
  return serviceTierOf(price, reported) ?? (isStandardTier(reported) ? standardLevel(price, startedAt) : undefined);
}

/**
 * The prices of which one is charged, as far as the request tells: its tier's, and those that the vendor may fall back
 * to.
 */
export function possibleLevels(price: Rates, { startedAt, serviceTier }: ChargedWhen): readonly NamedLevel[] {
  const usual = standardLevel(price, startedAt);
  if (serviceTier === undefined || !price.components) return [usual];
  const asked = price.components.variants.filter(({ name, hours }) => !hours && (serviceTier === ANY_TIER || serviceTier === name));
  return [usual, ...asked];
}

/**
 * The price of one service tier and hour alone: what the vendor reports, or else what is asked for, where that has a
 * price.
 */
export function priceInForce(price: Rates, { startedAt, serviceTier }: ChargedWhen, reported?: string): Rates {
  if (!price.components || price.components.variants.length === 0) return price;
  const asked = serviceTier === undefined ? undefined : serviceTierOf(price, serviceTier);
  const told = reported === undefined ? undefined : reportedLevel(price, reported, startedAt);
  const { prompt, completion, rates, tiers } = told ?? asked ?? standardLevel(price, startedAt);
  const components = priceComponents(rates, tiers);
  return { prompt, completion, ...(components && { components }) };
}

/** The price at the hour, without a service tier. */
function standardLevel(price: Rates, startedAt: number): NamedLevel {
  const { variants = [] } = price.components ?? {};
  return (variants.length > 0 && variants.findLast(({ hours }) => hours && isWithin(hours, startedAt))) || baseLevel(price);
}
