import type { Writable } from 'node:stream';
import { type Cell, printable, table } from './table.js';

/** Writes a command's output for people or, with --json, for programs. */
export class Output {
  constructor(
    private readonly out: Writable,
    private readonly err: Writable,
  ) {
    // `switchyard usage | head` closes the pipe early, which is not an error.
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

  /** One line for each name that has a value. */
  facts(facts: readonly (readonly [string, string | undefined])[]): void {
    for (const [name, value] of facts) if (value !== undefined) this.line(`${name.padEnd(12)} ${printable(value)}`);
  }

  error(message: string): void {
    this.err.write(`switchyard: ${message}\n`);
  }

  /** Writes help or a usage error as the command-line library words it. */
  usage(text: string, toError: boolean): void {
    (toError ? this.err : this.out).write(text);
  }
}

function fail(error: Error): never {
  throw error;
}
