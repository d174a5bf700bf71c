import { parsePrice, type PriceQuote } from '../common/prices/credits.js';
import type { PriceLevel, PriceTier, Rates } from '../common/prices/price-components.js';
import { type Component, componentNames } from '../wire/price-component.js';
import type { Offer } from './offer.js';

/** Nano-credits per 1,000 tokens. */
const MOST_LIKELY = 10_000_000_000n;
const QUESTION = 'is this one per million?';

type Costs = Pick<PriceLevel, 'prompt' | 'completion' | 'rates'>;

/** Sentences for the operator about prices of its configuration that can be charged and are probably mistakes. */
export function unlikelyPrices(offers: Iterable<Pick<Offer, 'price' | 'ownPrice' | 'modelId' | 'provider'>>): string[] {
  const sentences = new Set<string>();
  for (const { price, ownPrice, modelId, provider } of offers) {
    if (!price || !ownPrice) continue;
    for (const found of unlikely(price)) sentences.add(`the price of ${modelId} at ${provider.id} is unlikely: ${found}`);
  }
  return [...sentences];
}

/**
 * The same of prices that are dear beside what a data set has, as those for a million tokens are.
 * @param listed the data set's price of a model, by its vendor's name
 */
export function perMillion(
  offers: Iterable<Pick<Offer, 'price' | 'ownPrice' | 'modelId' | 'provider' | 'upstreamModel'>>,
  listed: (upstreamModel: string) => PriceQuote | undefined,
): string[] {
  const sentences = new Set<string>();
  for (const { price, ownPrice, modelId, provider, upstreamModel } of offers) {
    const quote = price && ownPrice ? listed(upstreamModel) : undefined;
    if (!quote) continue;
    const usual = new Map(named(costsOf(parsePrice(quote))));
    const dear = named(costsOf(price!)).flatMap(([name, rate]) => {
      const factor = Number(rate) / Number(usual.get(name) ?? 0n);
      return rate <= MOST_LIKELY && factor >= 100 && factor <= 10_000 ? [`${name} is ${Number(factor.toPrecision(2))} times`] : [];
    });
    if (dear.length > 0)
      sentences.add(
        `the price of ${modelId} at ${provider.id} is unlikely: ${dear.join(', ')} the public price; prices are per 1,000 tokens: ${QUESTION}`,
      );
  }
  return [...sentences];
}

function costsOf({ prompt, completion, components }: Rates): Costs {
  return { prompt, completion, rates: components?.rates ?? {} };
}

function* unlikely({ prompt, completion, components }: Rates): Generator<string> {
  const { rates = {}, tiers = [], variants = [] } = components ?? {};
  const base: PriceLevel = { prompt, completion, rates, tiers };
  yield* ofLevel('', base);
  for (const tier of tiers) if (sameCosts(tier, base)) yield `${inWords(tier)} names no other price`;
  for (const variant of variants) {
    const name = variant.hours ? `at ${variant.name}` : `service tier ${variant.name}`;
    if (sameCosts(variant, base)) yield `${name} names no other price`;
    yield* ofLevel(`${name}, `, variant);
  }
}

function* ofLevel(prefix: string, level: PriceLevel): Generator<string> {
  yield* ofCosts(prefix, level);
  for (const tier of level.tiers) {
    yield* ofCosts(`${prefix}${inWords(tier)}, `, tier);
    const cheaper = named(tier).filter(([name, rate]) => rate < (new Map(named(level)).get(name) ?? 0n));
    if (cheaper.length > 0) yield `${prefix}${inWords(tier)} is cheaper than below it (${cheaper.map(([name]) => name).join(', ')})`;
  }
}

function* ofCosts(prefix: string, costs: Costs): Generator<string> {
  if ((costs.rates.cached_input ?? 0n) > costs.prompt) yield `${prefix}cached_input costs more than prompt`;
  const dear = named(costs).filter(([name, rate]) => rate > MOST_LIKELY && !calls.has(name));
  if (dear.length > 0) yield `${prefix}${dear.map(([name]) => name).join(', ')} above 10 credits; prices are per 1,000 tokens: ${QUESTION}`;
}

const calls: ReadonlySet<string> = new Set<Component>(['request', 'search', 'hosted_call']);

function named({ prompt, completion, rates }: Costs): [name: string, rate: bigint][] {
  const own = componentNames.flatMap((name) => (rates[name] === undefined ? [] : [[name, rates[name]] as [string, bigint]]));
  return [['prompt', prompt], ['completion', completion], ...own];
}

function sameCosts(one: Costs, other: Costs): boolean {
  return String(named(one)) === String(named(other));
}

function inWords({ above, beyond }: PriceTier): string {
  return `the tier ${beyond ? 'beyond' : 'above'} ${above} tokens`;
}
