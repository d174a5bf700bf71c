import { callComponents, type Component, componentNames, inputComponents } from '../../wire/price-component.js';
import { lesser } from '../../common/prices/credits.js';
import { priceComponents, type PriceTier, rateOf, type Rates } from '../../common/prices/price-components.js';

/**
 * The lower of two prices for each component, at each tier of either. Where a tier of one of them counts only beyond
 * its tokens, so does that of both. Nothing costs more at it than at either price, as long as tiers do not become
 * cheaper.
 */
export function leastPrice(one: Rates, other: Rates): Rates {
  const levels = [levelsOf(one), levelsOf(other)] as const;
  const starts = new Set(levels.flatMap((all) => all.map(({ above }) => above)));
  const [base, ...tiers] = [...starts].toSorted((a, b) => a - b).map((above) => least(above, at(levels[0], above), at(levels[1], above)));
  const { prompt, completion, rates } = base!;
  const components = priceComponents(rates, tiers);
  return { prompt, completion, ...(components && { components }) };
}

function levelsOf({ prompt, completion, components }: Rates): PriceTier[] {
  return [{ above: 0, beyond: false, prompt, completion, rates: components?.rates ?? {} }, ...(components?.tiers ?? [])];
}

function at(levels: readonly PriceTier[], above: number): PriceTier {
  return levels.findLast((level) => level.above <= above)!;
}

function least(above: number, one: PriceTier, other: PriceTier): PriceTier {
  const rates: Partial<Record<Component, bigint>> = {};
  for (const name of componentNames) {
    if (rateOf(one.rates, name) === undefined && rateOf(other.rates, name) === undefined) continue;
    const rate = lesser(costOf(one, name), costOf(other, name));
    if (rate > 0n || !Object.hasOwn(callComponents, name)) rates[name] = rate;
  }
  return {
    above,
    beyond: one.beyond || other.beyond,
    prompt: lesser(one.prompt, other.prompt),
    completion: lesser(one.completion, other.completion),
    rates,
  };
}

function costOf({ prompt, completion, rates }: PriceTier, name: Component): bigint {
  const rate = rateOf(rates, name);
  if (rate !== undefined) return rate;
  if (Object.hasOwn(callComponents, name)) return 0n;
  return Object.hasOwn(inputComponents, name) ? prompt : completion;
}
