import { quoteOf } from '../common/prices/price-quote.js';
import { dearest } from '../providers/contract/price-decimal.js';
import type { PricingComponents } from '../wire/model.js';
import { type CatalogueModel, eligible } from './catalogue-model.js';

/** What the model's price tells beside `pricing`: that of its only active offer, or the dearest of each component. */
export function componentsOf({ offers }: CatalogueModel): { pricing_components?: PricingComponents } {
  const quotes = eligible(offers).flatMap(({ price }) => (price ? [quoteOf(price)] : []));
  const { prompt: _prompt, completion: _completion, ...components } = dearest(quotes) ?? { prompt: 0, completion: 0 };
  return Object.keys(components).length > 0 ? { pricing_components: inNumbers(components) } : {};
}

/** Quotes of prices are decimal text; nothing else in them reads as a decimal. */
function inNumbers(components: object): PricingComponents {
  const text = JSON.stringify(components, (_name, value: unknown) =>
    typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value,
  );
  return JSON.parse(text) as PricingComponents;
}
