import { pricesCacheWrites } from '../common/prices/price-ceiling.js';
import { isFree, type Offer } from './offer.js';

/** Sentences for the operator about settings of offers that change nothing there, and why. */
export function settingsWithoutEffect(offers: Iterable<Offer>): string[] {
  const sentences = new Set<string>();
  for (const offer of offers) {
    if (!offer.status.active) continue;
    const at = `${offer.modelId} at ${offer.provider.id}`;
    const noMarks = offer.cacheBreakpoints && whyUnmarked(offer);
    if (noMarks) sentences.add(`cache_breakpoints has no effect for ${at}: ${noMarks}`);
    if (offer.parameters.has('service_tier') && !pricesAnyServiceTier(offer))
      sentences.add(`service_tier goes on to ${at} as far as it asks for the standard tier: no other has a price (service_tiers)`);
  }
  return [...sentences];
}

/** Why the gateway cannot mark requests for the cache of the offer's provider; undefined where it can. */
function whyUnmarked(offer: Offer): string | undefined {
  if (!offer.capabilities.chat) return 'the model does not chat';
  if (!offer.cacheMarks) return 'nobody says that its provider takes cache_control';
  return isFree(offer) || !offer.price || pricesCacheWrites(offer.price) ? undefined : 'cache_write_5m has no price';
}

function pricesAnyServiceTier(offer: Offer): boolean {
  return isFree(offer) || (offer.price?.components?.variants.some(({ hours }) => !hours) ?? false);
}
