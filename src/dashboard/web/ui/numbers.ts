const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A whole number with separators. */
export const count = (value: number): string => whole.format(value);

/** A whole number in few characters, such as 1.2M. */
export const short = (value: number): string => (Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value));

/**
 * Credits in few characters: two decimals from a credit on, else three significant digits.
 * @param text the decimal text of the administration API
 */
export function shortCredits(text: string): string {
  const value = Number(text);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1) return value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return value.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
}

/** Credits with all nine decimals. */
export function exactCredits(text: string): string {
  const [before = '0', after = ''] = text.replace('-', '').split('.');
  return `${text.startsWith('-') ? '-' : ''}${before.replace(/\B(?=(\d{3})+$)/g, ',')}.${after.padEnd(9, '0')}`;
}

/** Decimals of what the administration API tells: credits have nine, what caching has saved has up to twelve. */
const DECIMALS = 12;

/**
 * What amounts of credits come to: exact, with nine decimals, or twelve.
 * @param amounts decimal texts of the administration API
 */
export function sumOfCredits(amounts: Iterable<string>): string {
  let sum = 0n;
  for (const amount of amounts) {
    const [credits = '0', decimals = ''] = amount.split('.');
    sum += BigInt(credits + decimals.padEnd(DECIMALS, '0'));
  }
  const digits = String(sum < 0n ? -sum : sum).padStart(DECIMALS + 1, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`.replace(/000$/, '');
}

/** Milliseconds as people say them. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1_000)} s`;
}

/**
 * Credits per million tokens, as people compare prices.
 * @param perThousand as the API tells prices: credits per 1,000
 */
export function perMillion(perThousand: number | string): string {
  const price = Number(perThousand) * 1_000;
  return price === 0 ? 'Free' : price.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
}
