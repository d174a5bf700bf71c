import { formatCredits, type LevelQuote, type PriceQuote } from './credits.js';
import { levelToJson, type PriceLevel, type Rates } from './price-components.js';
import { nameOfHours, parseHours, quoteOfHours } from './price-hours.js';

/** The price as decimals of credits per 1,000 units; parsePrice reads it as it was. */
export function quoteOf({ prompt, completion, components }: Rates): PriceQuote {
  if (!components) return { prompt: formatCredits(prompt), completion: formatCredits(completion) };
  const { rates, tiers, variants } = components;
  const services = variants.flatMap((one) => (one.hours ? [] : [[one.name, variantQuote(one)] as const]));
  const hours = variants.flatMap((one) => (one.hours ? [{ ...quoteOfHours(one.hours), ...variantQuote(one) }] : []));
  return {
    ...levelQuote({ prompt, completion, rates, tiers }),
    ...(services.length > 0 && { service_tiers: Object.fromEntries(services) }),
    ...(hours.length > 0 && { hours }),
  };
}

/** What the price tells beside prompt and completion, as one line. */
export function componentsInWords(price: Rates): string {
  const { prompt: _prompt, completion: _completion, service_tiers: services = {}, hours = [], ...base } = quoteOf(price);
  const variants = [
    ...Object.entries(services).map(([name, level]) => `service tier ${name}: ${levelInWords(level)}`),
    ...hours.map(({ from, to, days, ...level }) => `${nameOfHours(parseHours({ from, to, days }))} UTC: ${levelInWords(level)}`),
  ];
  return [levelInWords(base), ...variants].filter(Boolean).join('; ');
}

function levelInWords({ tiers = [], ...components }: Partial<LevelQuote>): string {
  const words = (rates: object) => Object.entries(rates).map(([name, rate]) => `${name} ${rate}`);
  const levels = tiers.map(({ above, beyond, ...rates }) => `${beyond ? 'beyond' : 'above'} ${above} tokens: ${words(rates).join(', ')}`);
  return [words(components).join(', '), ...levels].filter(Boolean).join('; ');
}

/** Tells that there are no tiers too, which a variant would otherwise have from the base. */
function variantQuote(level: PriceLevel): LevelQuote {
  return { tiers: [], ...levelQuote(level) };
}

function levelQuote(level: PriceLevel) {
  return levelToJson(level, formatCredits);
}
