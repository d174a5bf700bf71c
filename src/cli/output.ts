import type { Writable } from 'node:stream';
import { displayName, escapeControls } from '../observability/display-text.js';
import { type Cell, table } from './table.js';

/** What a command answers: in JSON, what writes it for people, and why it has failed all the same. */
export type Answer = readonly [json: unknown, write: () => void, failure?: Error | undefined];

type Columns<T> = Readonly<Record<string, keyof T | ((view: T) => Cell | null)>>;

/** Writes a command's output for people or, with --json, for programs. */
export class Output {
  constructor(
    private readonly out: Writable,
    private readonly err: Writable,
  ) {
    // `switchyard usage | head` closes the pipe early, which is not an error.
    for (const stream of [out, err]) stream.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || fail(error));
  }

  /** Writes a line, in which the values of the template are names. */
  line(texts: TemplateStringsArray, ...names: readonly (Cell | bigint)[]): void {
    this.#write(String.raw({ raw: texts }, ...names.map((name) => displayName(String(name ?? '')))));
  }

  /** Writes a text of several lines. */
  lines(text: string): void {
    this.#write(escapeLines(text));
  }

  json(value: unknown): void {
    this.lines(JSON.stringify(value, undefined, 2));
  }

  /** @throws the failure, if there is one */
  answer([value, write, failure]: Answer, json: true | undefined): void {
    if (json) this.json(value);
    else write();
    if (failure) throw failure;
  }

  /** @returns a function that takes a line, as `line` does, for people */
  says(value: unknown): (...line: Parameters<Output['line']>) => Answer {
    return (...line) => [value, () => this.line(...line)];
  }

  /**
   * A list: its views in JSON, or a table of them.
   * @param columns the member, or what makes the cell, by the name of the column
   */
  list<T>(views: readonly T[], columns: Columns<T>): Answer {
    const cell = (view: T, of: Columns<T>[string]) => (typeof of === 'function' ? of(view) : (view[of] as Cell | null));
    const rows = views.map((view) => Object.values(columns).map((of) => cell(view, of) ?? undefined));
    return [views, () => this.table(Object.keys(columns), rows)];
  }

  table(columns: readonly string[], rows: readonly (readonly Cell[])[]): void {
    this.#write(table(columns, rows));
  }

  /** One line for each name that has a value. */
  facts(facts: readonly (readonly [string, string | null | undefined])[]): void {
    for (const [name, value] of facts) if (value !== undefined && value !== null) this.line`${name.padEnd(12)} ${value}`;
  }

  error(message: string): void {
    this.err.write(`switchyard: ${escapeLines(message)}\n`);
  }

  /** Writes help or a usage error as the command-line library words it. */
  usage(text: string, toError: boolean): void {
    (toError ? this.err : this.out).write(text);
  }

  #write(text: string): void {
    this.out.write(`${text}\n`);
  }
}

function escapeLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}

function fail(error: Error): never {
  throw error;
}
