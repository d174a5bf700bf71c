import type { Integer } from '../../wire/integer.js';
import { formatCredits, formatDecimal } from './credits.js';
import type { Adjustment, ChargeLine } from './charge-lines.js';

/** What was charged for one component of a price: count x price = amount, exact. */
export class ChargeLineView {
  /** With its tier or its hours, where one was charged; or why the sum is another than that of the lines. */
  component: string;
  count?: Integer;
  /** Credits per 1,000. */
  price?: string;
  /** Credits. */
  amount: string;
}

/** The amounts come to what was charged. */
export function chargeView(lines: readonly ChargeLine[], adjustments: readonly Adjustment[]): ChargeLineView[] {
  return [...lines.map(lineView), ...adjustments.map(({ name, amount }) => ({ component: name, amount: formatDecimal(amount, 12) }))];
}

export function lineView({ name, at, above, count, rate }: ChargeLine): Required<ChargeLineView> {
  const where = [at === undefined ? '' : ` at ${at}`, above === undefined ? '' : ` above ${above} tokens`];
  return {
    component: `${name}${where.join('')}`,
    count: Number(count),
    price: formatCredits(rate),
    amount: formatDecimal(BigInt(count) * rate, 12),
  };
}
