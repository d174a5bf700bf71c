import { inCredits } from './prices.ts';
import { megabytes, percentile, ratio } from './figures.ts';
import type { Row } from './run.ts';

const columns: readonly [string, number, (row: Row) => string][] = [
  ['group', -12, ({ attack }) => attack.group],
  ['attack', -52, ({ attack }) => attack.name],
  ['got', -44, ({ got }) => got],
  ['due', 12, ({ due }) => inCredits(due)],
  ['charged', 12, ({ charged }) => inCredits(charged)],
  ['share', 7, ({ due, charged }) => ratio(charged, due)],
  ['p50', 6, ({ bystander }) => percentile(bystander.quiet, 0.5).toFixed(0)],
  ['p99', 6, ({ bystander }) => percentile(bystander.quiet, 0.99).toFixed(0)],
  ['worst', 7, ({ bystander }) => percentile(bystander.quiet, 1).toFixed(0)],
  ['failed', 7, ({ bystander }) => String(bystander.failures.reduce((sum, [, count]) => sum + count, 0))],
  ['CPU s', 7, ({ cpu }) => cpu.toFixed(2)],
  ['peak MB', 8, ({ peak }) => megabytes(peak)],
  ['alive', 6, ({ alive }) => (alive ? 'yes' : 'NO')],
];

const cell = (text: string, width: number): string => (width < 0 ? text.slice(0, -width).padEnd(-width) : text.padStart(width));

/** The table of one engine, and below it what broke its bound. */
export function table(rows: readonly Row[]): string {
  const line = (texts: readonly string[]): string => texts.map((text, index) => cell(text, columns[index]![1])).join(' ');
  const lines = [`  ${line(columns.map(([name]) => name))}`];
  for (const row of rows) lines.push(`${row.broken.length > 0 ? '✗' : '✓'} ${line(columns.map(([, , of]) => of(row)))}`);
  lines.push('', "milliseconds are those of the bystander's requests in which neither it nor the gateway waited for a core", '');
  for (const { attack, broken } of rows) for (const what of broken) lines.push(`✗ ${attack.group}, ${attack.name}: ${what}`);
  const red = rows.filter(({ broken }) => broken.length > 0).length;
  lines.push(`${rows.length - red} of ${rows.length} rows hold`);
  return lines.join('\n');
}
