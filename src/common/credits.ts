/**
 * Money is integer nano-credits (10^-9 credit) as bigint. Amounts enter and leave as exact decimals; a price is
 * nano-credits per 1,000 tokens, which is exact for every price of at most 9 decimals.
 */

const decimal = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** Largest amount the stores hold: a signed 64-bit integer. */
export const MAX_NANO = 2n ** 63n - 1n;

/**
 * Reads a decimal literal (text, or a number as JavaScript prints it) as nano-credits.
 * @throws RangeError beyond 9 decimals, beyond 64 bits, or when it is not a decimal.
 */
export function parseCredits(value: string | number): bigint {
  const match = decimal.exec(String(value).trim());
  if (!match) throw new RangeError(`not a decimal number: ${String(value)}`);
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
  const sign = nano < 0n ? '-' : '';
  const digits = (nano < 0n ? -nano : nano).toString().padStart(10, '0');
  const point = digits.length - 9;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end--;
  return sign + digits.slice(0, point) + (end > point ? `.${digits.slice(point, end)}` : '');
}

/** Nano-credits per 1,000 tokens. */
export interface Price {
  readonly prompt: bigint;
  readonly completion: bigint;
  /** The store's row that says so; absent where no row does. */
  readonly id?: string;
}

/** @throws RangeError as parseCredits, and for negative prices. */
export function parsePrice(price: { prompt: string | number; completion: string | number }): Price {
  const parsed = { prompt: parseCredits(price.prompt), completion: parseCredits(price.completion) };
  if (parsed.prompt < 0n || parsed.completion < 0n) throw new RangeError('a price cannot be negative');
  return parsed;
}

export function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Nano-credits that so many tokens cost: one rounding, upwards, for all of a request. */
export function charge(price: Price, promptTokens: number, completionTokens: number | bigint): bigint {
  return (BigInt(promptTokens) * price.prompt + BigInt(completionTokens) * price.completion + 999n) / 1000n;
}
