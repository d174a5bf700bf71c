import type { ChargeLineView } from '../common/prices/charge-view.js';
import type { Output } from './output.js';

/** The amounts come to what was charged. */
export function chargeTable(output: Output, lines: readonly ChargeLineView[]): void {
  output.table(
    ['charged for', 'count', 'price / 1k', 'credits'],
    lines.map(({ component, count, price, amount }) => [component, count, price, amount]),
  );
}
