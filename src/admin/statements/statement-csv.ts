import { csvLine } from '../csv-line.js';
import type { StatementView } from './statement.dto.js';

const columns = [
  'time',
  'kind',
  'id',
  'note',
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'amount',
  'collected',
  'uncollected',
] as const;

/** A statement as CSV: a line of names, the opening balance, a line for each grant and each day, the closing balance. */
export function statementCsv({ month, opening_balance, closing_balance, lines }: StatementView): string {
  const balanceLine = (kind: string, balance: string): string =>
    csvLine([month, kind, ...Array<string>(columns.length - 2).fill(''), balance]);
  return [
    csvLine([...columns, 'balance']),
    balanceLine('opening balance', opening_balance),
    ...lines.map((line) => csvLine([...columns.map((name) => line[name]), line.balance])),
    balanceLine('closing balance', closing_balance),
  ].join('');
}
