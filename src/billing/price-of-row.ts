import type { Price } from '../common/prices/credits.js';
import { componentsFromText } from '../common/prices/price-components.js';

/** The columns that usage and inflight rows have for a price. */
export interface PriceColumns {
  readonly price_prompt: bigint;
  readonly price_completion: bigint;
  readonly price_components: string | null;
}

export function priceOfRow(row: PriceColumns): Price {
  const price = { prompt: row.price_prompt, completion: row.price_completion };
  const components = row.price_components === null ? undefined : componentsFromText(row.price_components);
  return components ? { ...price, components } : price;
}
