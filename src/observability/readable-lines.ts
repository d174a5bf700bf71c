import { escapeControls } from './display-text.js';

/**
 * Makes lines for people of the log's JSON lines: time, level, message, then the fields as `name=value`, and below them
 * the stack of an error. A line that is no JSON stays as it is.
 * @param lines whole lines
 */
export function readableLines(lines: string): string {
  const each = lines.split('\n');
  return each.map((line) => (line.startsWith('{') ? readableOrPrintable(line) : line)).join('\n');
}

function readableOrPrintable(line: string): string {
  try {
    return readable(JSON.parse(line) as Line);
  } catch {
    return escapeControls(line);
  }
}

interface Line {
  readonly level?: string;
  readonly time?: number;
  readonly msg?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
  readonly stack?: string;
}

function readable({ level = '', time, msg, err, stack, ...fields }: Line): string {
  const words = [clock(time), level.toUpperCase().padEnd(5), escapeControls(msg ?? err?.message ?? '')];
  for (const [name, value] of Object.entries(fields)) if (value !== null) words.push(`${name}=${wordOf(value)}`);
  const trace = err?.stack ?? stack;
  const below = trace === undefined ? [] : trace.split('\n').map((line) => `    ${escapeControls(line)}`);
  return [words.join(' '), ...below].join('\n');
}

/** The time of day where the terminal is. */
function clock(time: unknown): string {
  const date = new Date(Number(time));
  const two = (part: number) => String(part).padStart(2, '0');
  const seconds = `${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
  return `${two(date.getHours())}:${two(date.getMinutes())}:${seconds}`;
}

function wordOf(value: unknown): string {
  if (typeof value === 'string' && /^[\w./:@+*-]+$/.test(value)) return value;
  return escapeControls(JSON.stringify(value));
}
