import { Logger } from '@nestjs/common';
import { messageOf } from '../common/message-of.js';

const FLUSH_MS = 500;

export interface WriteBehindOptions<Row> {
  /** What the rows are called in the log. */
  readonly what: string;
  /** How many rows one write takes. */
  readonly batch: number;
  /**
   * How many rows may wait for a store that does not answer. Those that wait stay; newer ones are counted and dropped.
   */
  readonly maxWaiting: number;
  readonly write: (rows: Row[]) => Promise<unknown>;
}

/** Writes rows to the store in the background: a full batch at once, others twice a second. */
export class WriteBehind<Row> {
  readonly #logger = new Logger(WriteBehind.name);
  readonly #timer = setInterval(() => void this.#flush(), FLUSH_MS).unref();
  #rows: Row[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;

  constructor(private readonly options: WriteBehindOptions<Row>) {}

  add(row: Row): void {
    if (this.#rows.length >= this.options.maxWaiting) this.#dropped++;
    else if (this.#rows.push(row) === this.options.batch) void this.#flush();
  }

  /** Resolves when all added rows are written, or could not be. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.#flush();
  }

  #flush(): Promise<void> {
    return (this.#writing ??= this.#write().finally(() => (this.#writing = undefined)));
  }

  /**
   * Writes what waits at its beginning, and not what is added meanwhile: otherwise each transaction would hold the few
   * rows that came during the one before.
   */
  async #write(): Promise<void> {
    const { what, batch, write } = this.options;
    if (this.#dropped > 0) this.#logger.warn(`${this.#dropped} ${what} were dropped while the store did not take them`);
    this.#dropped = 0;
    for (let left = this.#rows.length; left > 0; left -= batch) {
      const rows = this.#rows.slice(0, Math.min(left, batch));
      try {
        await write(rows);
      } catch (error) {
        this.#logger.warn(`${what} wait for the store: ${messageOf(error)}`);
        return;
      }
      this.#rows.splice(0, rows.length);
    }
  }
}
