import { samePrice } from '../common/prices/credits.js';
import { type Offer, offerAt } from './offer.js';
import type { PriceBook } from './price-book.js';
import { offerKey, type OfferPrice } from './price-store.js';

type Offers = readonly [Offer, ...Offer[]];

/**
 * The prices that configuration and providers give. Where one provider has several offers of a model, the first one
 * counts.
 */
export function pricesOf(models: Iterable<Offers>): Map<string, OfferPrice> {
  const prices = new Map<string, OfferPrice>();
  for (const { provider, modelId: model, price } of [...models].flat()) {
    const name = offerKey({ provider: provider.id, model });
    if (!price || prices.has(name)) continue;
    const { prompt, completion, components } = price;
    prices.set(name, { provider: provider.id, model, prompt, completion, ...(components && { components }) });
  }
  return prices;
}

/** The offers at the prices in force. An offer that is listed under several ids stays one object. */
export function offersInForce(
  models: ReadonlyMap<string, Offers>,
  prices: ReadonlyMap<string, OfferPrice>,
  book: PriceBook,
): Map<string, Offers> {
  const made = new Map<Offer, Offer>();
  const enforce = (offer: Offer): Offer => {
    const { provider, modelId: model, price } = offer;
    const known = prices.get(offerKey({ provider: provider.id, model }));
    if (!price || !known || !samePrice(known, price)) return offer;
    let inForce = made.get(offer);
    if (!inForce) made.set(offer, (inForce = offerAt(offer, book.inForce(known))));
    return inForce;
  };
  return new Map([...models].map(([id, offers]) => [id, offers.map(enforce) as [Offer, ...Offer[]]]));
}
