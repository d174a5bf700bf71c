/** What a spreadsheet would take for a formula: clients name models and ids as they like. */
const FORMULA = /^\s*[=+\-@＝＋－＠\t\r\n]/;
/** The same behind what separates cells elsewhere: a spreadsheet may split a text there. */
const INNER_FORMULA = /(\S[^\S\t]*[;|\t]\s*)(?=[=+\-@＝＋－＠])/g;
const NUMBER = /^-?\d+(\.\d+)?$/;

type Cell = string | number | boolean | null | undefined | readonly string[];

/** A line of a CSV file. Lists are written with spaces between their members. */
export function csvLine(values: readonly Cell[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/** A text that looks like a formula is written behind an apostrophe, which spreadsheets take for the mark of a text. */
function cell(value: Cell): string {
  if (value === null || value === undefined) return '';
  let text = typeof value === 'object' ? value.join(' ') : String(value);
  text = text.replace(INNER_FORMULA, "$1'");
  if (FORMULA.test(text) && !NUMBER.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
