import type { Adjustment, ChargeLine } from '../common/prices/charge-lines.js';
import { formatCredits, formatDecimal } from '../common/credits.js';
import type { Output } from './output.js';

/** The amounts come to what was charged. */
export function chargeTable(output: Output, lines: readonly ChargeLine[], adjustments: readonly Adjustment[]): void {
  output.table(
    ['charged for', 'count', 'price / 1k', 'credits'],
    [
      ...lines.map((line) => Object.values(lineInWords(line))),
      ...adjustments.map(({ name, amount }) => [name, undefined, undefined, formatDecimal(amount, 12)]),
    ],
  );
}

/** The same for programs. */
export function chargeInWords(lines: readonly ChargeLine[], adjustments: readonly Adjustment[]): object[] {
  return [...lines.map(lineInWords), ...adjustments.map(({ name, amount }) => ({ component: name, amount: formatDecimal(amount, 12) }))];
}

/** One line of a charge: count x price = amount, exact. */
function lineInWords({ name, at, above, count, rate }: ChargeLine) {
  const where = [at === undefined ? '' : ` at ${at}`, above === undefined ? '' : ` above ${above} tokens`];
  return {
    component: `${name}${where.join('')}`,
    count: Number(count),
    price: formatCredits(rate),
    amount: formatDecimal(BigInt(count) * rate, 12),
  };
}
