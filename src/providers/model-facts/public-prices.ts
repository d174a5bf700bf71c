import type { ConditionalPrice, ModelInfo, ModelPrice, TieredPrices } from '@pydantic/genai-prices';
import type { ProviderPrice } from '../model-provider.js';
import { dearest, perThousand } from '../price-decimal.js';
import type { ModelFacts } from './model-facts.js';

type PublicPrices = (vendor: string, upstreamModel: string, now: Date) => ModelFacts | undefined;

let loading: Promise<PublicPrices> | undefined;

/**
 * List prices in US dollars and context windows from `@pydantic/genai-prices`, as of its release: nothing is fetched.
 * The package is loaded when the first provider needs it (about 100 ms and 4 MB).
 */
export function publicPrices(): Promise<PublicPrices> {
  return (loading ??= import('@pydantic/genai-prices').then(({ calcPrice }) => (vendor, upstreamModel, now) => {
    const model = calcPrice({}, upstreamModel, { providerId: vendor, timestamp: now })?.model;
    return model && { price: priceOf(model, now), ...(model.context_window && { contextLength: model.context_window }) };
  }));
}

/**
 * A price here is one number, and must not fall short of the cost: it is the highest of several tiers and hours of the
 * day. A model that is also paid by the request has no price, and neither has one whose price is zero: data sets give
 * zero for models that they know nothing about.
 */
export function priceOf({ prices }: Pick<ModelInfo, 'prices'>, now: Date): ProviderPrice | undefined {
  const current = Array.isArray(prices) ? inForce(prices, now) : [prices];
  if (current.some((price) => price['requests_kcount'])) return undefined;
  const known = current.map((price) =>
    perThousand({ prompt: most(price['input_mtok']), completion: most(price['output_mtok']) }, 1_000_000),
  );
  const price = dearest(known.filter((one) => one !== undefined));
  return price && Number(price.prompt) + Number(price.completion) > 0 ? price : undefined;
}

/** The last price that has begun, and those of hours of the day after it. */
function inForce(prices: readonly ConditionalPrice[], now: Date): ModelPrice[] {
  const current: ModelPrice[] = [];
  for (const { constraint, prices: price } of prices.toReversed()) {
    if (constraint?.type === 'start_date' && constraint.start_date > now.toISOString().slice(0, 10)) continue;
    current.push(price);
    if (constraint?.type !== 'time_of_date') break;
  }
  return current;
}

function most(price: number | TieredPrices | undefined): number | undefined {
  return typeof price === 'object' ? Math.max(price.base, ...price.tiers.map((tier) => tier.price)) : price;
}
