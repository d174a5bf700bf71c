import { formatDecimal } from '../common/credits.js';
import type { Adjustment, ChargeLine } from '../common/prices/charge-lines.js';
import { lineView } from '../common/prices/charge-view.js';
import type { Output } from './output.js';

/** The amounts come to what was charged. */
export function chargeTable(output: Output, lines: readonly ChargeLine[], adjustments: readonly Adjustment[]): void {
  output.table(
    ['charged for', 'count', 'price / 1k', 'credits'],
    [
      ...lines.map((line) => Object.values(lineView(line))),
      ...adjustments.map(({ name, amount }) => [name, undefined, undefined, formatDecimal(amount, 12)]),
    ],
  );
}
