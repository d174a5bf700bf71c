import { displayName, escapeControls } from '../observability/display-text.js';

/** A cell of a table: empty where there is no value. */
export type Cell = string | number | undefined;

const GAP = '  ';
const number = /^-?\d+(\.\d+)?$/;

/** Lays out columns of equal width. Numbers stand to the right, so that they are easy to compare. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => row.map((cell) => escapeControls(String(cell ?? ''))));
  const widths = columns.map((column, index) => Math.max(column.length, ...texts.map((row) => row[index]!.length)));
  const right = columns.map((_, index) => texts.length > 0 && texts.every((row) => number.test(row[index]!)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        const pad = ' '.repeat(widths[index]! - cell.length);
        return right[index] ? pad + cell : displayName(cell) + pad;
      })
      .join(GAP)
      .trimEnd();
  return [columns.map((column) => column.toUpperCase()), ...texts].map(line).join('\n');
}
