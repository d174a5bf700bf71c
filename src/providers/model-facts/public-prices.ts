import type { ConditionalPrice, ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import type { Component } from '../../wire/price-component.js';
import type { ProviderPrice } from '../contract/model-provider.js';
import { componentsPerThousand, dearest, perThousand } from '../contract/price-decimal.js';
import { embeddingFacts } from './embedding-models.js';
import type { ModelFacts } from './model-facts.js';

/** @param vendor undefined: whoever the model is known of */
type PublicPrices = (vendor: string | undefined, upstreamModel: string, now: Date) => ModelFacts | undefined;

let loading: Promise<PublicPrices> | undefined;

/**
 * List prices in US dollars and context windows from `@pydantic/genai-prices`, as of its release: nothing is fetched.
 * The package is loaded when the first provider needs it (about 100 ms and 4 MB).
 */
export function publicPrices(): Promise<PublicPrices> {
  return (loading ??= import('@pydantic/genai-prices').then(({ calcPrice }) => (vendor, upstreamModel, now) => {
    const model = calcPrice({}, upstreamModel, { ...(vendor !== undefined && { providerId: vendor }), timestamp: now })?.model;
    const prices = model && embeddingFacts(upstreamModel) ? withoutOutput(model.prices) : model?.prices;
    return model && prices && { price: priceOf({ prices }, now), ...(model.context_window && { contextLength: model.context_window }) };
  }));
}

/** The package has no price of output for models that have none. */
function withoutOutput(prices: ModelInfo['prices']): ModelInfo['prices'] {
  if (Array.isArray(prices)) return prices.map((one) => ({ ...one, prices: { output_mtok: 0, ...one.prices } }));
  return { output_mtok: 0, ...prices };
}

/** The package's names of prices. They are for a million tokens, or a thousand calls. */
const tokenPrices = {
  cache_read_mtok: 'cached_input',
  cache_audio_read_mtok: 'cached_audio_input',
  cache_write_mtok: 'cache_write_5m',
  cache_write_1h_mtok: 'cache_write_1h',
  input_image_mtok: 'image_input',
  input_video_mtok: 'video_input',
  input_audio_mtok: 'audio_input',
  output_reasoning_mtok: 'reasoning_output',
  output_citation_mtok: 'citation_output',
  output_image_mtok: 'image_output',
  output_audio_mtok: 'audio_output',
} as const satisfies Record<string, Component>;

const callPrices = { requests_kcount: 'request', web_searches_kcount: 'search' } as const satisfies Record<string, Component>;

/**
 * The price with its components, tiers and hours of the day. A model whose price is zero has none: data sets give zero
 * for models that they know nothing about.
 */
export function priceOf({ prices }: Pick<ModelInfo, 'prices'>, now: Date): ProviderPrice | undefined {
  const current = Array.isArray(prices) ? inForce(prices, now) : [{ prices }];
  const price = withHours(current) ?? dearest(current.map((one) => toPrice(one.prices)).filter((one) => one !== undefined));
  return price && Number(price.prompt) + Number(price.completion) > 0 ? price : undefined;
}

/** @returns undefined where there is no price for the other hours, or hours are told in a way that is not known */
function withHours(current: readonly ConditionalPrice[]): ProviderPrice | undefined {
  const usual = current.find(({ constraint }) => constraint?.type !== 'time_of_date');
  const base = usual && toPrice(usual.prices);
  if (!base || current.length === 1) return base;
  const hours = current.flatMap(({ constraint, prices }) => {
    if (constraint?.type !== 'time_of_date') return [];
    const level = toPrice(prices);
    const [from, to] = [utcTime(constraint.start_time), utcTime(constraint.end_time)];
    return level && from && to ? [{ from, to, tiers: [], ...level }] : [];
  });
  return hours.length === current.length - 1 ? { ...base, hours } : undefined;
}

function utcTime(time: string): string | undefined {
  return /^(([01]\d|2[0-3]):[0-5]\d)(:00)?Z$/.exec(time)?.[1];
}

function toPrice(told: ModelPrice): ProviderPrice | undefined {
  const base = levelOf(told, undefined);
  const starts = new Set(Object.values(told).flatMap((price) => (typeof price === 'object' ? price.tiers.map(({ start }) => start) : [])));
  if (!base || starts.size === 0) return base;
  const tiers = [...starts].toSorted((a, b) => a - b).map((above) => ({ above, ...levelOf(told, above)! }));
  return { ...base, tiers };
}

/** The prices of a request whose prompt has more than `above` tokens: the package charges a tier for all of it. */
function levelOf(told: ModelPrice, above: number | undefined): ProviderPrice | undefined {
  const at = (name: string) => {
    const price = told[name];
    if (typeof price !== 'object') return price;
    return (above === undefined ? undefined : price.tiers.findLast(({ start }) => start <= above)?.price) ?? price.base;
  };
  const named = (names: Readonly<Record<string, Component>>) =>
    Object.fromEntries(Object.entries(names).map(([name, ours]) => [ours, at(name)]));
  const tokens = perThousand({ prompt: at('input_mtok'), completion: at('output_mtok'), ...named(tokenPrices) }, 1_000_000);
  return tokens && { ...tokens, ...componentsPerThousand(named(callPrices), 1_000) };
}

/** The last price that has begun, and those of hours of the day after it, in their order. */
function inForce(prices: readonly ConditionalPrice[], now: Date): ConditionalPrice[] {
  const current: ConditionalPrice[] = [];
  for (const price of prices.toReversed()) {
    const { constraint } = price;
    if (constraint?.type === 'start_date' && constraint.start_date > now.toISOString().slice(0, 10)) continue;
    current.unshift(price);
    if (constraint?.type !== 'time_of_date') break;
  }
  return current;
}
