import { type Component, componentBases, componentNames } from '../../wire/price-component.js';
import { type HoursQuote, nameOfHours, parseHours, type PriceHours, quoteOfHours } from './price-hours.js';

/** Nano-credits per 1,000 units by component. */
export type ComponentRates = Readonly<Partial<Record<Component, bigint>>>;

/** What a request costs whose prompt has more than `above` tokens. */
export interface PriceTier {
  readonly above: number;
  /**
   * Only the tokens of the prompt beyond `above` are charged at the tier; the output is not. Otherwise all tokens are.
   */
  readonly beyond: boolean;
  readonly prompt: bigint;
  readonly completion: bigint;
  readonly rates: ComponentRates;
}

/** All that a request may cost at one service tier and hour. */
export interface PriceLevel {
  readonly prompt: bigint;
  readonly completion: bigint;
  readonly rates: ComponentRates;
  /** By `above`, ascending. The last one that a prompt exceeds counts. */
  readonly tiers: readonly PriceTier[];
}

/** What a request costs at a service tier, or in some hours of the day, instead of the base. */
export interface PriceVariant extends PriceLevel {
  /** The service tier as the vendor calls it, or the hours. */
  readonly name: string;
  /** Absent for a service tier, whose price is the same at all hours. */
  readonly hours?: PriceHours;
}

/** The part of a price beyond its two numbers. Never changed. */
interface PriceComponents {
  readonly rates: ComponentRates;
  readonly tiers: readonly PriceTier[];
  /** By name; of hours that overlap, the last ones count. */
  readonly variants: readonly PriceVariant[];
  /** All that has a rate of its own, at whatever tier, service tier or hour. */
  readonly named: ReadonlySet<Component>;
  /** All of it as JSON; two with the same text are the same. This is what stores and journals keep. */
  readonly text: string;
}

/** What a request is charged at. Nano-credits per 1,000 tokens. */
export interface Rates {
  readonly prompt: bigint;
  readonly completion: bigint;
  readonly components?: PriceComponents;
}

const bases = new WeakMap<Rates, PriceLevel>();

/** What is charged without a service tier and hours: one object for each price, as requests need it all the time. */
export function baseLevel(price: Rates): PriceLevel {
  let level = bases.get(price);
  if (!level) {
    const { prompt, completion, components: { rates, tiers } = { rates: {}, tiers: [] } } = price;
    bases.set(price, (level = { prompt, completion, rates, tiers }));
  }
  return level;
}

/** @returns undefined where there is nothing beyond two numbers */
export function priceComponents(
  rates: ComponentRates,
  tiers: readonly PriceTier[],
  variants: readonly PriceVariant[] = [],
): PriceComponents | undefined {
  if (tiers.length === 0 && variants.length === 0 && !componentNames.some((name) => rates[name] !== undefined)) return undefined;
  const sorted = sortedTiers(tiers);
  const levels = variants.map((one) => ({ ...one, tiers: sortedTiers(one.tiers) }));
  const services = levels.filter(({ hours }) => !hours).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const hourly = levels.filter(({ hours }) => hours);
  const text = JSON.stringify({
    ...toJson(rates, String),
    ...(sorted.length > 0 && { tiers: sorted.map((tier) => tierToJson(tier, String)) }),
    ...(services.length > 0 && { service_tiers: Object.fromEntries(services.map((one) => [one.name, levelToJson(one, String)])) }),
    ...(hourly.length > 0 && { hours: hourly.map((one) => ({ ...quoteOfHours(one.hours!), ...levelToJson(one, String) })) }),
  });
  const all = [{ rates }, ...sorted, ...levels.flatMap((one) => [one, ...one.tiers])];
  const named = new Set(componentNames.filter((name) => all.some((level) => level.rates[name] !== undefined)));
  return { rates, tiers: sorted, variants: [...services, ...hourly], named, text };
}

/**
 * Reads what `text` of other components says.
 * @throws SyntaxError, TypeError, RangeError where it is no such text
 */
export function componentsFromText(text: string): PriceComponents | undefined {
  const { tiers, service_tiers = {}, hours = [], ...rates } = JSON.parse(text) as Json;
  const services = Object.entries(service_tiers as Record<string, Json>).map(([name, told]) => ({ name, ...levelFromJson(told) }));
  const hourly = (hours as (HoursQuote & Json)[]).map(({ from, to, days, ...told }) => {
    const when = parseHours({ from, to, days });
    return { name: nameOfHours(when), hours: when, ...levelFromJson(told) };
  });
  return priceComponents(ratesFromJson(rates), tiersFromJson(tiers), [...services, ...hourly]);
}

/** The rate that the price has for a component, its own or a base's; undefined where prompt or completion counts. */
export function rateOf(rates: ComponentRates, name: Component): bigint | undefined {
  const own = rates[name];
  if (own !== undefined) return own;
  for (const base of componentBases[name]) if (rates[base] !== undefined) return rates[base];
  return undefined;
}

/** Whether any of these has a rate of its own, at whatever tier, service tier or hour. */
export function pricesAny({ components }: Rates, names: readonly Component[]): boolean {
  return components !== undefined && names.some((name) => components.named.has(name));
}

type Json = Record<string, unknown>;

/** Writes an amount of nano-credits. */
type Write = (nano: bigint) => string;

/** In the order of the names, whatever order they came in. */
function toJson(rates: ComponentRates, write: Write): Partial<Record<Component, string>> {
  const json: Partial<Record<Component, string>> = {};
  for (const name of componentNames) if (rates[name] !== undefined) json[name] = write(rates[name]);
  return json;
}

function tierToJson({ above, beyond, prompt, completion, rates }: PriceTier, write: Write) {
  return { above, ...(beyond && { beyond }), prompt: write(prompt), completion: write(completion), ...toJson(rates, write) };
}

export function levelToJson({ prompt, completion, rates, tiers }: PriceLevel, write: Write) {
  const told = tiers.length > 0 && { tiers: tiers.map((tier) => tierToJson(tier, write)) };
  return { prompt: write(prompt), completion: write(completion), ...toJson(rates, write), ...told };
}

function levelFromJson({ prompt, completion, tiers, ...rates }: Json): PriceLevel {
  return {
    prompt: BigInt(prompt as string),
    completion: BigInt(completion as string),
    rates: ratesFromJson(rates),
    tiers: tiersFromJson(tiers),
  };
}

function tiersFromJson(tiers: unknown = []): PriceTier[] {
  return (tiers as Json[]).map(({ above, beyond, ...level }) => {
    const { prompt, completion, rates } = levelFromJson(level);
    return { above: above as number, beyond: beyond === true, prompt, completion, rates };
  });
}

function ratesFromJson(json: Readonly<Json>): ComponentRates {
  const rates: Partial<Record<Component, bigint>> = {};
  for (const name of componentNames) if (json[name] !== undefined) rates[name] = BigInt(json[name] as string);
  return rates;
}

function sortedTiers(tiers: readonly PriceTier[]): PriceTier[] {
  return tiers.toSorted((a, b) => a.above - b.above);
}
