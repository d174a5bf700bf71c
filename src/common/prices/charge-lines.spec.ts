import { parsePrice } from '../credits.js';
import { adjustmentsOf, linesOf, sumOfLines } from './charge-lines.js';

const lines = linesOf(parsePrice({ prompt: '0.0000015', completion: '0.000002', request: 1 }), 3, 1, {});

it.each([
  ['the rounding alone', 7n, 0n, { rounding: 500n }],
  ['what the hold has cut', 5n, 0n, { rounding: 500n, 'beyond the hold': -2_000n }],
  ['what could not be collected', 7n, 3n, { rounding: 500n, uncollected: -3_000n }],
  ['all of them', 5n, 3n, { rounding: 500n, 'beyond the hold': -2_000n, uncollected: -3_000n }],
  ['a failure, which is not charged', 0n, 0n, { rounding: 500n, 'not charged': -7_000n }],
])('lines come to what was charged with %s', (_what, due, uncollected, expected) => {
  const adjustments = adjustmentsOf(lines, due, uncollected);
  expect(Object.fromEntries(adjustments.map(({ name, amount }) => [name, amount]))).toEqual(expected);
  expect(adjustments.reduce((sum, { amount }) => sum + amount, sumOfLines(lines))).toBe((due - uncollected) * 1000n);
});
