import { type Parts, sumOfCharge } from './charge-lines.js';
import { type Component, componentNames } from '../../wire/price-component.js';
import { type ComponentRates, priceComponents, type PriceLevel, type PriceTier, type Rates } from './price-components.js';
import { type HoursQuote, nameOfHours, parseHours } from './price-hours.js';

/**
 * Money is integer nano-credits (10^-9 credit) as bigint. Amounts enter and leave as exact decimals; a price is
 * nano-credits per 1,000 units, which is exact for every price of at most 9 decimals.
 */

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/;
/** As JavaScript prints small and large numbers. */
const printed = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/;

/** Largest amount the stores hold: a signed 64-bit integer. */
export const MAX_NANO = 2n ** 63n - 1n;

/**
 * Reads a plain decimal, or a number, as nano-credits.
 * @throws RangeError beyond 9 decimals, beyond 64 bits, or when it is not a decimal.
 */
export function parseCredits(value: string | number): bigint {
  const match = typeof value === 'number' ? printed.exec(String(value)) : decimal.exec(value.trim());
  if (!match) throw new RangeError(`not a plain decimal number: ${String(value)}`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(whole + fraction);
  const scale = 9 - fraction.length + Number(exponent);
  let nano: bigint;
  if (scale >= 0) nano = digits * 10n ** BigInt(scale);
  else {
    const divisor = 10n ** BigInt(-scale);
    if (digits % divisor !== 0n) throw new RangeError(`more than 9 decimals: ${String(value)}`);
    nano = digits / divisor;
  }
  if (nano > MAX_NANO) throw new RangeError(`too large: ${String(value)}`);
  return sign ? -nano : nano;
}

/** Exact decimal text without trailing zeros: 1500000000n is "1.5". */
export function formatCredits(nano: bigint): string {
  return formatDecimal(nano, 9);
}

/** The same for an amount whose last digit has so many places behind the point. */
export function formatDecimal(amount: bigint, places: number): string {
  const sign = amount < 0n ? '-' : '';
  const digits = (amount < 0n ? -amount : amount).toString().padStart(places + 1, '0');
  const point = digits.length - places;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end--;
  return sign + digits.slice(0, point) + (end > point ? `.${digits.slice(point, end)}` : '');
}

/** Nano-credits per 1,000 tokens; at the lowest tier where there are several. */
export interface Price extends Rates {
  /** The store's row that says so; absent where no row does. */
  readonly id?: string;
}

/** Credits per 1,000 units: decimal text or number, at most 9 decimals. */
export type DecimalPrice = string | number;

type ComponentQuotes = Readonly<Partial<Record<Component, DecimalPrice | undefined>>>;

/** A price as configurations, providers and data sets tell it. */
export interface PriceQuote extends ComponentQuotes {
  readonly prompt: DecimalPrice;
  readonly completion: DecimalPrice;
  readonly tiers?: readonly TierQuote[] | undefined;
  /** By the vendor's names of its service tiers. */
  readonly service_tiers?: Readonly<Record<string, LevelQuote>> | undefined;
  /** Of hours that overlap, the last ones count. */
  readonly hours?: readonly (HoursQuote & LevelQuote)[] | undefined;
}

/** What costs something else at a service tier, or in some hours. */
export interface LevelQuote extends ComponentQuotes {
  readonly prompt?: DecimalPrice | undefined;
  readonly completion?: DecimalPrice | undefined;
  /** Absent: the base's, each at its own price or at the variant's, whichever is dearer. */
  readonly tiers?: readonly TierQuote[] | undefined;
}

/** What costs something else than below the tier. */
export interface TierQuote extends ComponentQuotes {
  /** Tokens of the prompt. */
  readonly above: number;
  /** Only the prompt's tokens beyond `above` cost it. */
  readonly beyond?: boolean | undefined;
  readonly prompt?: DecimalPrice | undefined;
  readonly completion?: DecimalPrice | undefined;
}

/** @throws RangeError as parseCredits, for negative prices and for what is no time of the day */
export function parsePrice(quote: PriceQuote): Price {
  const { prompt, completion, rates, tiers } = parseLevel(quote, { prompt: 0n, completion: 0n, rates: {} });
  const base = { prompt, completion, rates, tiers };
  const services = Object.entries(quote.service_tiers ?? {}).map(([name, told]) => ({ name, ...parseVariant(told, base) }));
  const hourly = (quote.hours ?? []).map((told) => {
    const hours = parseHours(told);
    return { name: nameOfHours(hours), hours, ...parseVariant(told, base) };
  });
  const components = priceComponents(rates, tiers, [...services, ...hourly]);
  return components ? { prompt, completion, components } : { prompt, completion };
}

function parseLevel(quote: LevelQuote, base: Omit<PriceLevel, 'tiers'>): PriceLevel {
  const level = parseRest(quote, base);
  const tiers = (quote.tiers ?? []).map((tier) => ({ above: tier.above, beyond: tier.beyond ?? false, ...parseRest(tier, level) }));
  return { ...level, tiers };
}

function parseVariant(quote: LevelQuote, base: PriceLevel): PriceLevel {
  const level = parseLevel(quote, base);
  return quote.tiers ? level : { ...level, tiers: base.tiers.map((tier) => dearerOf(tier, level)) };
}

/** What is not told costs what it costs at `base`. */
function parseRest(quote: Omit<LevelQuote, 'tiers'>, base: Omit<PriceLevel, 'tiers'>): Omit<PriceLevel, 'tiers'> {
  return {
    prompt: quote.prompt === undefined ? base.prompt : parseRate(quote.prompt),
    completion: quote.completion === undefined ? base.completion : parseRate(quote.completion),
    rates: { ...base.rates, ...parseRates(quote) },
  };
}

function dearerOf(tier: PriceTier, level: PriceLevel): PriceTier {
  const rates: Partial<Record<Component, bigint>> = { ...tier.rates };
  for (const name of componentNames) rates[name] = greater(tier.rates[name], level.rates[name]);
  return { ...tier, prompt: greater(tier.prompt, level.prompt)!, completion: greater(tier.completion, level.completion)!, rates };
}

function greater(one: bigint | undefined, other: bigint | undefined): bigint | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}

function parseRates(quote: ComponentQuotes): ComponentRates {
  const rates: Partial<Record<Component, bigint>> = {};
  for (const name of componentNames) if (quote[name] !== undefined) rates[name] = parseRate(quote[name]);
  return rates;
}

function parseRate(value: DecimalPrice): bigint {
  const rate = parseCredits(value);
  if (rate < 0n) throw new RangeError('a price cannot be negative');
  return rate;
}

/** Whether both cost the same, whatever row says so. */
export function samePrice(a: Rates, b: Rates): boolean {
  return a.prompt === b.prompt && a.completion === b.completion && a.components?.text === b.components?.text;
}

export function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/**
 * Nano-credits that so many tokens cost: one rounding, upwards, for all of a request.
 * @param parts those of the tokens that are charged otherwise than at the base prices
 */
export function charge(price: Rates, promptTokens: number | bigint, completionTokens: number | bigint, parts?: Parts): bigint {
  return (sumOfCharge(price, promptTokens, completionTokens, parts) + 999n) / 1000n;
}
