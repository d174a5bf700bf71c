import { Worker } from 'node:worker_threads';
import type { SqliteOptions, SqliteReply, SqliteRequest, SqliteResult, SqliteStatement } from './sqlite-protocol.js';
import { StoreError } from './store-error.js';

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

/** What a request says, before it has its number. */
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

const workerFile = new URL(import.meta.url.endsWith('.ts') ? './sqlite.worker.ts' : './sqlite.worker.js', import.meta.url);

/** Talks to the thread that owns the SQLite file. The thread keeps the process alive only while an answer is awaited. */
export class SqliteClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve(results: readonly SqliteResult[]): void; reject(error: Error): void }>();
  #nextId = 0;
  #gone: StoreError | undefined;

  constructor(options: SqliteOptions, onChange: () => void) {
    this.#worker = new Worker(workerFile, { workerData: options, name: 'sqlite' });
    this.#worker.unref();
    this.#worker.on('message', (reply: SqliteReply) => {
      if ('changed' in reply) onChange();
      else this.#settle(reply);
    });
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the store is closed')));
  }

  /** Runs the statements in order and stops at the first that fails. Makes no transaction of its own. */
  run(statements: readonly SqliteStatement[]): Promise<readonly SqliteResult[]> {
    return this.#send({ statements });
  }

  async close(): Promise<void> {
    if (this.#gone) return;
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve));
    await this.#send({ close: true });
    // The process must not end before the thread has.
    this.#worker.ref();
    await exited;
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
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('error' in reply) waiter?.reject(new SqliteError(reply.error.message, reply.error.code));
    else waiter?.resolve(reply.results);
  }

  #fail(cause: Error): void {
    this.#gone ??= new StoreError('unavailable', `The store does not answer: ${cause.message}`, { cause });
    for (const waiter of this.#waiting.values()) waiter.reject(this.#gone);
    this.#waiting.clear();
  }
}
