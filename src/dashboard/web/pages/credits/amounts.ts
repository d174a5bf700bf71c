/** Parts of a credit that the administration API tells at most: thousandths of a billionth. */
const DECIMALS = 12;
const PARTS = 10n ** BigInt(DECIMALS);

/** The sum of decimal texts, exact. */
export function sumOf(amounts: readonly string[]): string {
  const sum = amounts.reduce((total, amount) => total + partsOf(amount), 0n);
  const size = sum < 0n ? -sum : sum;
  const after = String(size % PARTS)
    .padStart(DECIMALS, '0')
    .replace(/0{0,3}$/, '');
  return `${sum < 0n ? '-' : ''}${size / PARTS}.${after}`;
}

function partsOf(amount: string): bigint {
  const [before = '0', after = ''] = amount.replace('-', '').split('.');
  const parts = BigInt(before) * PARTS + BigInt(after.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
  return amount.startsWith('-') ? -parts : parts;
}
