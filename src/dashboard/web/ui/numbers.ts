const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** A whole number with separators. */
export const count = (value: number): string => whole.format(value);

/** A whole number in few characters, such as 1.2M. */
export const short = (value: number): string => (Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value));

/** Digits with separators. */
const grouped = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');

/** Credits with all decimals that they have, and two at least. */
export const exactCredits = (text: string): string => creditsWith(text, creditDecimals(text, true));

/** How many decimals an amount is shown with, where it stands alone. @param exact with all that it has */
export function creditDecimals(text: string, exact: boolean): number {
  const [before, after = ''] = shifted(text.replace(/^-/, ''), 0).split('.');
  if (exact) return Math.max(2, after.length);
  return before !== '0' ? 2 : after === '' ? 0 : /^0*/.exec(after)![0].length + 3;
}

/** Credits with so many decimals: what does not fit is left out. */
export function creditsWith(text: string, decimals: number): string {
  const [before = '0', after = ''] = shifted(text.replace(/^-/, ''), 0).split('.');
  const point = decimals === 0 ? '' : `.${after.slice(0, decimals).padEnd(decimals, '0')}`;
  return `${text.startsWith('-') ? '-' : ''}${grouped(before)}${point}`;
}

/** Amounts that stand below one another: exact, with as many decimals as the one that has most. */
export function inColumn(texts: readonly string[]): (text: string) => string {
  const decimals = Math.max(...texts.map((text) => creditDecimals(text, true)));
  return (text) => creditsWith(text, decimals);
}

/** The values of an axis, each with as many decimals as the one that has most. */
export function axisOf(sizes: readonly number[], options: Intl.NumberFormatOptions = {}): string[] {
  const decimalsOf = (size: number): number =>
    new Intl.NumberFormat('en', { maximumFractionDigits: 9, ...options }).formatToParts(size).find(({ type }) => type === 'fraction')?.value
      .length ?? 0;
  const decimals = Math.max(...sizes.map(decimalsOf));
  const format = new Intl.NumberFormat('en', { ...options, minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return sizes.map((size) => format.format(size));
}

/** Whole numbers at an axis, in few characters. */
export const countAxis = (sizes: readonly number[]): string[] =>
  axisOf(sizes, sizes.at(-1)! < 10_000 ? {} : { notation: 'compact', maximumFractionDigits: 2 });

/** Milliseconds at an axis, all in one unit. */
export function durationAxis(sizes: readonly number[]): string[] {
  const [of, unit] = sizes.at(-1)! < 1_000 ? [1, 'ms'] : [1_000, 's'];
  return axisOf(sizes.map((size) => size / of)).map((text) => `${text} ${unit}`);
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

/** Milliseconds as people say them; a dash where nobody knows. */
export function duration(milliseconds: number | null): string {
  if (milliseconds === null) return '–';
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1_000)} s`;
}

/**
 * A decimal with its point moved: exact, and without an exponent or needless zeros.
 * @param places to the right; to the left where they are negative
 */
export function shifted(decimal: number | string, places: number): string {
  const parts = /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(String(decimal));
  if (!parts) return String(decimal);
  const [, sign = '', before = '', after = '', exponent = '0'] = parts;
  const point = before.length + Number(exponent) + places;
  const digits = (point < 1 ? '0'.repeat(1 - point) : '') + (before + after).padEnd(point, '0');
  const [left, right] = [digits.slice(0, Math.max(point, 1)), digits.slice(Math.max(point, 1)).replace(/0+$/, '')];
  return `${sign}${left.replace(/^0+(?=\d)/, '')}${right && `.${right}`}`;
}

/**
 * Credits per million tokens, as people compare prices; exact, with two decimals at least.
 * @param perThousand as the API tells prices: credits per 1,000
 */
export function perMillion(perThousand: number | string): string {
  const credits = shifted(perThousand, 3);
  return credits === '0' ? 'Free' : exactCredits(credits);
}
