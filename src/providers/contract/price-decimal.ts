import { formatCredits, type LevelQuote } from '../../common/prices/credits.js';
import { callComponents, type Component, componentNames, outputComponents } from '../../wire/price-component.js';
import type { ProviderPrice } from './model-provider.js';
import { ownOf } from '../../wire/own-members.js';

/** Decimals of a price for 1,000 tokens: a billionth of a credit. */
const PLACES = 9;

type Quotes = Readonly<Partial<Record<'prompt' | 'completion' | Component, unknown>>>;

/**
 * Converts a vendor's price for `per` tokens (1, 1,000 or 1,000,000) to ours for 1,000, exactly. Beyond 9 decimals it
 * is rounded up, so that a price never falls short of the cost. A component that is no number, or zero, is left out:
 * lists write zero for what they do not know.
 * @returns undefined unless prompt and completion are numbers, or decimal text, of at least 0
 */
export function perThousand(quotes: Quotes, per: 1 | 1_000 | 1_000_000): ProviderPrice | undefined {
  const [prompt, completion] = [shifted(quotes.prompt, per), shifted(quotes.completion, per)];
  if (prompt === undefined || completion === undefined) return undefined;
  return { prompt, completion, ...componentsPerThousand(quotes, per) };
}

/** The components alone, as perThousand converts them. */
export function componentsPerThousand(quotes: Quotes, per: 1 | 1_000 | 1_000_000): Partial<Record<Component, string>> {
  const components: Partial<Record<Component, string>> = {};
  for (const name of componentNames) {
    const rate = shifted(quotes[name], per);
    if (rate !== undefined && rate !== '0') components[name] = rate;
  }
  return components;
}

/**
 * The highest price of each component, each by itself and of all tiers and hours, because nobody knows which of the
 * prices will be charged. A component that only some of them have is left out unless it is dearer than what it is part
 * of. A service tier is that of each price that has it.
 */
export function dearest(prices: readonly ProviderPrice[]): ProviderPrice | undefined {
  if (prices.length < 2) return prices[0];
  const highest = dearestLevel(prices.flatMap((price) => [price, ...(price.hours ?? []).map((hours) => ({ ...price, ...hours }))]));
  const names = new Set(prices.flatMap((price) => Object.keys(price.service_tiers ?? {})));
  if (names.size === 0) return highest;
  const services = [...names].map((name) => [
    name,
    dearestLevel(
      prices.flatMap((price) => {
        const level = ownOf(price.service_tiers ?? {}, name);
        return level ? [{ ...price, ...level }] : [];
      }),
    ),
  ]);
  return { ...highest, service_tiers: Object.fromEntries(services) as ProviderPrice['service_tiers'] };
}

function dearestLevel(prices: readonly LevelQuote[]): ProviderPrice {
  const levels = prices.flatMap((price) => [price, ...(price.tiers ?? [])]);
  const most = (name: 'prompt' | 'completion' | Component) =>
    levels.map((price) => price[name] ?? 0).reduce((a, b) => (Number(b) > Number(a) ? b : a));
  const highest: { -readonly [Name in keyof ProviderPrice]: ProviderPrice[Name] } = {
    prompt: most('prompt'),
    completion: most('completion'),
  };
  for (const name of componentNames) {
    const rate = most(name);
    const everywhere = prices.every((price) => price[name] !== undefined);
    const base = Object.hasOwn(outputComponents, name) ? highest.completion : highest.prompt;
    if (everywhere || Number(rate) > Number(Object.hasOwn(callComponents, name) ? 0 : base)) highest[name] = rate;
  }
  return highest;
}

function shifted(value: unknown, per: number): string | undefined {
  const match =
    typeof value === 'number' || typeof value === 'string' ? /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i.exec(String(value)) : null;
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent) + Math.log10(per / 1_000);
  const units = scale <= PLACES ? digits * 10n ** BigInt(PLACES - scale) : ceilDivide(digits, 10n ** BigInt(scale - PLACES));
  return formatCredits(units);
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
