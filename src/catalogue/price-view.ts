import type { PriceQuote } from '../common/prices/credits.js';
import { quoteOf } from '../common/prices/price-quote.js';
import type { StoredPrice } from './price-store.js';

/** The price of a model at one provider by components, in credits per 1,000 units. */
export interface StoredPriceView extends PriceQuote {
  /** Of the row; usage names it as what was charged by. */
  readonly id: string;
  readonly model: string;
  readonly provider: string;
  /** When it came into force, ISO 8601. */
  readonly valid_from: string;
}

export function storedPriceView(price: StoredPrice): StoredPriceView {
  const { id, model, provider, validFrom } = price;
  return { valid_from: new Date(validFrom).toISOString(), model, provider, ...quoteOf(price), id };
}
