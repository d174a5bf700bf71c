/**
 * Where a spreadsheet would begin a formula: clients name models and ids as they like. It may split a text at what
 * separates cells elsewhere, and drop quotes and spaces before what it reads.
 */
const FORMULA = /(?<=^|[,;|\t\r\n])(?=(?:"|[^\S\t\r\n])*[=+\-@＝＋－＠\t\r])/g;
const NUMBER = /^-?\d+(\.\d+)?$/;

type Cell = string | number | boolean | null | undefined | readonly string[];

/** A line of a CSV file. Lists are written with spaces between their members. */
export function csvLine(values: readonly Cell[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/** What looks like a formula is written behind an apostrophe, which spreadsheets take for the mark of a text. */
function cell(value: Cell): string {
  if (value === null || value === undefined) return '';
  const given = typeof value === 'object' ? value.join(' ') : String(value);
  const text = NUMBER.test(given) ? given : given.replaceAll(FORMULA, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
