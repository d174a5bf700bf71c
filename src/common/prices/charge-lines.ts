import { type Component, inputComponents, outputComponents } from '../../wire/price-component.js';
import { baseLevel, type PriceLevel, rateOf, type Rates } from './price-components.js';

/** What a part of a count is charged as. `unexplained_output` is in a vendor's total and in none of its parts. */
type PartName = Component | 'prompt' | 'completion' | 'unexplained_output';

/**
 * Disjoint counts of what is charged otherwise than at the base prices, by part; `part>N` at the tier above N tokens,
 * `part@variant` and `part@variant>N` at the price of a service tier or of hours. Tokens of a request that are in none
 * of them are charged as prompt and as completion.
 */
export type Parts = Readonly<Record<string, number>>;

/** One line of a charge: so many units at so many nano-credits per 1,000. */
export interface ChargeLine {
  readonly name: PartName;
  /** The service tier or the hours, where the base is not charged. */
  readonly at?: string;
  /** The tier's tokens, where a tier is charged. */
  readonly above?: number;
  readonly count: number | bigint;
  readonly rate: bigint;
}

/** The lines of a charge, of which none is empty. Their counts come to all tokens. */
export function linesOf(
  price: Rates,
  promptTokens: number | bigint,
  completionTokens: number | bigint,
  parts: Parts | undefined,
): ChargeLine[] {
  const lines: ChargeLine[] = [];
  let [prompt, completion] = [BigInt(promptTokens), BigInt(completionTokens)];
  for (const [key, count] of Object.entries(parts ?? {})) {
    const { of, more: _more, ...part } = partRate(price, key);
    if (of === 'prompt') prompt -= BigInt(count);
    else if (of === 'completion') completion -= BigInt(count);
    lines.push({ ...part, count });
  }
  if (completion !== 0n) lines.unshift({ name: 'completion', count: completion, rate: price.completion });
  if (prompt !== 0n) lines.unshift({ name: 'prompt', count: prompt, rate: price.prompt });
  return lines;
}

/** What the lines come to, in thousandths of a nano-credit. */
export function sumOfCharge(
  price: Rates,
  promptTokens: number | bigint,
  completionTokens: number | bigint,
  parts: Parts | undefined,
): bigint {
  let sum = BigInt(promptTokens) * price.prompt + BigInt(completionTokens) * price.completion;
  for (const key in parts) sum += BigInt(parts[key]!) * partRate(price, key).more;
  return sum;
}

/** What is charged beside the lines, in thousandths of a nano-credit; less than 0 where it is not. */
export interface Adjustment {
  readonly name: 'rounding' | 'beyond the hold' | 'not charged' | 'uncollected';
  readonly amount: bigint;
}

/**
 * What makes the lines of one charge come to what was charged.
 * @param due nano-credits: what was charged, and what could not be collected
 * @param uncollected nano-credits
 */
export function adjustmentsOf(lines: readonly ChargeLine[], due: bigint, uncollected: bigint): Adjustment[] {
  const sum = sumOfLines(lines);
  const full = (sum + 999n) / 1000n;
  const adjustments: Adjustment[] = [
    { name: 'rounding', amount: full * 1000n - sum },
    { name: due === 0n ? 'not charged' : 'beyond the hold', amount: (due - full) * 1000n },
    { name: 'uncollected', amount: -uncollected * 1000n },
  ];
  return adjustments.filter(({ amount }) => amount !== 0n);
}

/** In thousandths of a nano-credit. */
export function sumOfLines(lines: readonly ChargeLine[]): bigint {
  return lines.reduce((sum, { count, rate }) => sum + BigInt(count) * rate, 0n);
}

/**
 * What the request would have cost more without the tokens that were read from a cache, in thousandths of a
 * nano-credit.
 */
export function savedByCache(price: Rates, lines: readonly ChargeLine[]): bigint {
  return lines.reduce((saved, { name, count, rate, ...where }) => {
    if (name !== 'cached_input' && name !== 'cached_audio_input') return saved;
    return saved + BigInt(count) * (rateOfPart(price, name === 'cached_input' ? 'prompt' : 'audio_input', where) - rate);
  }, 0n);
}

/**
 * What tokens that were written to a cache have cost more than others of the prompt, in thousandths of a nano-credit.
 */
export function spentOnCacheWrites(price: Rates, lines: readonly ChargeLine[]): bigint {
  return lines.reduce((spent, { name, count, rate, ...where }) => {
    if (name !== 'cache_write_5m' && name !== 'cache_write_1h') return spent;
    return spent + BigInt(count) * (rate - rateOfPart(price, 'prompt', where));
  }, 0n);
}

function isOutput(name: PartName): boolean {
  return name === 'completion' || name === 'unexplained_output' || Object.hasOwn(outputComponents, name);
}

/** What a part is charged at, whatever its count. */
interface PartRate extends Omit<ChargeLine, 'count'> {
  /** Which of the two counts of tokens it is part of; absent for calls. */
  readonly of?: 'prompt' | 'completion';
  /** Nano-credits per 1,000 that it costs more than the tokens that it is part of do at the base prices. */
  readonly more: bigint;
}

/** By price and the part's name: worked out once, because requests are charged all the time. */
const partRates = new WeakMap<Rates, Map<string, PartRate>>();

function partRate(price: Rates, key: string): PartRate {
  let known = partRates.get(price);
  if (!known) partRates.set(price, (known = new Map()));
  let rate = known.get(key);
  if (!rate) known.set(key, (rate = toPartRate(price, key)));
  return rate;
}

function toPartRate(price: Rates, key: string): PartRate {
  const [part = '', above] = key.split('>');
  const [name, at] = part.split('@') as [PartName, string?];
  const where = { ...(at !== undefined && { at }), ...(above !== undefined && { above: Number(above) }) };
  const rate = rateOfPart(price, name, where);
  if (name === 'prompt' || Object.hasOwn(inputComponents, name)) return { name, ...where, rate, of: 'prompt', more: rate - price.prompt };
  if (isOutput(name)) return { name, ...where, rate, of: 'completion', more: rate - price.completion };
  return { name, ...where, rate, more: rate };
}

/** A part for which the price has no rate costs what the total costs that it is part of, and a call nothing. */
function rateOfPart(price: Rates, name: PartName, { at, above }: Pick<ChargeLine, 'at' | 'above'>): bigint {
  const variant: PriceLevel = price.components?.variants.find((one) => one.name === at) ?? baseLevel(price);
  const level = variant.tiers.find((tier) => tier.above === above) ?? variant;
  if (name === 'prompt') return level.prompt;
  if (name === 'completion') return level.completion;
  if (name === 'unexplained_output') {
    const { reasoning_output: reasoning = 0n } = level.rates;
    return reasoning > level.completion ? reasoning : level.completion;
  }
  const rate = rateOf(level.rates, name);
  if (rate !== undefined) return rate;
  if (Object.hasOwn(inputComponents, name)) return level.prompt;
  return isOutput(name) ? level.completion : 0n;
}
