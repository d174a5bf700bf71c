import { formatCredits } from '../common/credits.js';
import type { ProviderPrice } from './model-provider.js';

/** Decimals of a price for 1,000 tokens: a billionth of a credit. */
const PLACES = 9;

/**
 * Converts a vendor's price for `per` tokens (1, 1,000 or 1,000,000) to ours for 1,000, exactly. Beyond 9 decimals it
 * is rounded up, so that a price never falls short of the cost.
 * @returns undefined unless both are numbers, or decimal text, of at least 0
 */
export function perThousand(
  { prompt, completion }: { prompt: unknown; completion: unknown },
  per: 1 | 1_000 | 1_000_000,
): ProviderPrice | undefined {
  const [input, output] = [shifted(prompt, per), shifted(completion, per)];
  return input === undefined || output === undefined ? undefined : { prompt: input, completion: output };
}

/** The highest prompt price and the highest completion price, each by itself. */
export function dearest(prices: readonly ProviderPrice[]): ProviderPrice | undefined {
  const most = (side: keyof ProviderPrice) => prices.map((price) => price[side]).reduce((a, b) => (Number(b) > Number(a) ? b : a));
  return prices.length === 0 ? undefined : { prompt: most('prompt'), completion: most('completion') };
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
