import { isFree, type Offer } from '../../catalogue/offer.js';
import { serviceTierOf } from '../../common/prices/price-in-force.js';
import { ANY_TIER, isStandardTier } from '../../wire/service-tier.js';
import type { InferenceRequest } from '../../wire/generation.js';

/** The parameter that asks for a service tier, in the formats of all vendors. */
export const SERVICE_TIER = 'service_tier';

/** What the request asks for; undefined where it leaves the tier to the vendor without a word. */
export function askedServiceTier({ extra }: InferenceRequest): string | undefined {
  const asked = extra?.[SERVICE_TIER];
  return typeof asked === 'string' ? asked : undefined;
}

/** Whether it is known what the tier costs that the request asks for. The operator consents to it by its price. */
export function pricesServiceTier({ price, parameters }: Offer, asked: unknown): boolean {
  if (typeof asked !== 'string') return false;
  if (!price || isFree({ price })) return parameters.has(SERVICE_TIER);
  if (serviceTierOf(price, asked)) return true;
  const priced = price.components?.variants.some(({ hours }) => !hours) ?? false;
  return (asked === ANY_TIER || isStandardTier(asked)) && (priced || parameters.has(SERVICE_TIER));
}
