import type { Writable } from 'node:stream';
import { type Cell, table } from './table.js';

/** What a command says, to people or, with --json, to programs. */
export class Output {
  constructor(
    private readonly out: Writable,
    private readonly err: Writable,
  ) {
    // `switchyard usage | head` closes the pipe early; that is not an error.
    for (const stream of [out, err]) stream.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' || fail(error));
  }

  line(text: string): void {
    this.out.write(`${text}\n`);
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value, undefined, 2));
  }

  table(columns: readonly string[], rows: readonly (readonly Cell[])[]): void {
    this.line(table(columns, rows));
  }

  error(message: string): void {
    this.err.write(`switchyard: ${message}\n`);
  }

  /** As the command-line library has worded it. */
  usage(text: string, toError: boolean): void {
    (toError ? this.err : this.out).write(text);
  }
}

function fail(error: Error): never {
  throw error;
}
