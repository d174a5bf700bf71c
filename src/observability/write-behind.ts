import { Logger } from '@nestjs/common';
import type { Clock, Timer } from '../common/time/clock.js';
import { FairPlaces } from '../common/limits/fair-places.js';
import { messageOf } from '../common/message-of.js';
import { isConstraintViolation } from '../database/store-error.js';

const FLUSH_MS = 500;

/** How often the rows that are left at the end are tried to be written, and milliseconds between tries that failed. */
const LAST_TRIES = 5;
const RETRY_MS = 200;

interface WriteBehindOptions<Row> {
  /** What the rows are called in the log. */
  readonly what: string;
  /** How many rows one write takes. */
  readonly batch: number;
  /** Milliseconds that a row may wait for others; half a second where this is absent. */
  readonly interval?: number;
  /**
   * How many rows may wait for a store that does not answer, of one account eight times what is free. Those that wait
   * stay; newer ones are counted and dropped.
   */
  readonly maxWaiting: number;
  readonly write: (rows: Row[]) => Promise<unknown>;
}

interface Waiting<Row> {
  readonly row: Row;
  readonly account: string;
}

/** Writes rows to the store in the background: a full batch at once, others from time to time. */
export class WriteBehind<Row> {
  readonly #logger = new Logger(WriteBehind.name);
  readonly #timer: Timer;
  readonly #places: FairPlaces;
  #rows: Waiting<Row>[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;

  constructor(
    private readonly options: WriteBehindOptions<Row>,
    private readonly clock: Clock,
  ) {
    this.#places = new FairPlaces(options.maxWaiting);
    this.#timer = clock.setInterval(() => void this.#flush(), options.interval ?? FLUSH_MS).unref();
  }

  /** @param account the id of whose row it is; rows of nobody share one share */
  add(row: Row, account = ''): void {
    if (!this.#places.take(account)) this.#dropped++;
    else if (this.#rows.push({ row, account }) === this.options.batch) void this.#flush();
  }

  /** Resolves when all added rows are written, or could not be in several tries. */
  async close(): Promise<void> {
    this.clock.clear(this.#timer);
    await this.#writing;
    for (let tries = LAST_TRIES; this.#rows.length > 0 && tries > 0; tries--) {
      const before = this.#rows.length;
      await this.#flush();
      if (this.#rows.length === before) await this.clock.delay(RETRY_MS);
    }
    if (this.#rows.length > 0) this.#logger.error(`${this.#rows.length} ${this.options.what} were lost at the end`);
  }

  #flush(): Promise<void> {
    return (this.#writing ??= this.#write().finally(() => (this.#writing = undefined)));
  }

  /**
   * Writes what waits at its beginning, and of what is added meanwhile the full batches alone: otherwise each
   * transaction would hold the few rows that came during the one before.
   */
  async #write(): Promise<void> {
    const { what, batch } = this.options;
    if (this.#dropped > 0) this.#logger.warn(`${this.#dropped} ${what} were dropped while the store did not take them`);
    this.#dropped = 0;
    for (let left = this.#rows.length; this.#rows.length >= (left > 0 ? 1 : batch); left -= batch) {
      const rows = this.#rows.splice(0, left > 0 ? Math.min(left, batch) : batch);
      try {
        await this.#writeBatch(rows);
      } catch (error) {
        this.#rows.unshift(...rows);
        this.#logger.warn(`${what} wait for the store: ${messageOf(error)}`);
        return;
      }
    }
  }

  /**
   * Takes out of a batch what is written, and drops what the store refuses: a row that breaks a constraint must not
   * keep the others from being written. It is found by writing half as many rows after each refusal.
   */
  async #writeBatch(rows: Waiting<Row>[]): Promise<void> {
    const { what, write } = this.options;
    const letGo = (count: number) => rows.splice(0, count).forEach(({ account }) => this.#places.give(account));
    let refused = 0;
    let reason: unknown;
    try {
      for (let count = rows.length; rows.length > 0;) {
        try {
          await write(rows.slice(0, count).map(({ row }) => row));
          letGo(count);
          count *= 2;
        } catch (error) {
          if (!isConstraintViolation(error)) throw error;
          if (Math.min(count, rows.length) === 1) {
            letGo(1);
            refused++;
            reason = error;
          }
          count = Math.ceil(Math.min(count, rows.length) / 2);
        }
      }
    } finally {
      if (refused > 0) this.#logger.error(`The store refused ${refused} of the ${what}, which are lost: ${messageOf(reason)}`);
    }
  }
}
