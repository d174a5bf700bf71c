/** A value as people read it: empty where there is none. */
export type Cell = string | number | undefined;

const GAP = '  ';
const number = /^-?\d+(\.\d+)?$/;

/** Columns of equal width; numbers to the right, so that they compare at a glance. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => row.map(printable));
  const widths = columns.map((column, index) => Math.max(column.length, ...texts.map((row) => row[index]!.length)));
  const right = columns.map((_, index) => texts.length > 0 && texts.every((row) => number.test(row[index]!)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (right[index] ? cell.padStart(widths[index]!) : cell.padEnd(widths[index]!)))
      .join(GAP)
      .trimEnd();
  return [columns.map((column) => column.toUpperCase()), ...texts].map(line).join('\n');
}

/** Names come from anywhere: a control character must not reach the terminal. */
function printable(cell: Cell): string {
  return cell === undefined ? '' : String(cell).replace(/\p{Cc}/gu, '?');
}
