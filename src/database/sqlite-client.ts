import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import type { SqliteOptions, SqliteReply, SqliteRequest, SqliteResult, SqliteStatement } from './sqlite-protocol.js';
import { StoreError, UnexpectedChanges } from './store-error.js';

/** A statement that SQLite refused. `code` is SQLite's extended result code. */
export class SqliteError extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
    this.name = 'SqliteError';
  }
}

/** The file may be read and not written. SQLite opens it all the same, and refuses the first statement that writes. */
const SQLITE_READONLY = 8;

/** A request that has no id yet. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

const workerFile = new URL(import.meta.resolve('./sqlite.worker.js'));

/** Milliseconds after which a thread that has ended is replaced. */
const RESTART_DELAY = 100;

/**
 * Talks to the thread that owns the SQLite file. A thread that ends by itself is replaced: what it had not committed is
 * undone, and those who wait for it are told that the store is unavailable. The thread keeps the process alive only
 * while an answer is awaited.
 */
export class SqliteClient {
  readonly #logger = new Logger('Store');
  #worker: Worker;
  readonly #waiting = new Map<number, { resolve(results: readonly SqliteResult[]): void; reject(error: Error): void }>();
  #nextId = 0;
  #gone: StoreError | undefined;
  /** A thread has answered before. Where the first one cannot even start, it is not replaced. */
  #answered = false;
  #closing = false;
  #restart: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: SqliteOptions,
    private readonly onChange: () => void,
  ) {
    this.#worker = this.#start();
  }

  /**
   * Runs the statements in order and stops at the first that fails. Makes no transaction of its own.
   * @param continues the statements belong to a transaction that has begun; where it is lost, none of them is run
   */
  run(statements: readonly SqliteStatement[], continues = false): Promise<readonly SqliteResult[]> {
    return this.#send({ statements, continues });
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearTimeout(this.#restart);
    if (this.#gone) return;
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    await this.#send({ close: true });
    // The process must not end before the thread has.
    this.#worker.ref();
    await exited;
  }

  #start(): Worker {
    const worker = new Worker(workerFile, { workerData: this.options, name: 'sqlite' });
    worker.unref();
    worker.on('message', (reply: SqliteReply) => {
      if ('changed' in reply) this.onChange();
      else this.#settle(reply);
    });
    let cause = new Error('its thread has ended');
    worker.on('error', (error: Error) => (cause = error));
    worker.on('exit', () => {
      if (worker === this.#worker) this.#fail(cause);
    });
    return worker;
  }

  #send(request: Unnumbered<SqliteRequest>): Promise<readonly SqliteResult[]> {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...request });
    });
  }

  #settle(reply: Exclude<SqliteReply, { changed: true }>): void {
    const waiter = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    this.#answered = true;
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('unexpected' in reply) waiter?.reject(new UnexpectedChanges(reply.unexpected));
    else if ('error' in reply) waiter?.reject(this.#refusal(reply.error));
    else waiter?.resolve(reply.results);
  }

  #refusal({ message, code }: { readonly message: string; readonly code: number }): Error {
    const cause = new SqliteError(message, code);
    if (code !== SQLITE_READONLY) return cause;
    const { file } = this.options;
    const sentence = `The store in ${dirname(file)} cannot be written to: ${message}. Let this user write to ${file}.`;
    return new StoreError('unusable', sentence, { cause });
  }

  #fail(cause: Error): void {
    this.#gone = new StoreError('unavailable', `The store does not answer: ${cause.message}`, { cause });
    for (const waiter of this.#waiting.values()) waiter.reject(this.#gone);
    this.#waiting.clear();
    if (this.#closing || !this.#answered) return;
    this.#logger.error(`The thread of the store has ended and is replaced: ${cause.message}`);
    this.#restart = setTimeout(() => {
      this.#worker = this.#start();
      this.#gone = undefined;
      // Nobody has looked for what other processes have changed meanwhile.
      this.onChange();
    }, RESTART_DELAY);
  }
}
