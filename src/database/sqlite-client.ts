import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import type { Clock, Timer } from '../common/time/clock.js';
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

/** How long one request may take. */
interface TimeLimit {
  /** Milliseconds. */
  readonly ms: number;
  readonly clock: Clock;
}

/**
 * Talks to a thread that has the SQLite file open. It starts with the first request. A thread that ends by itself is
 * replaced: what it had not committed is undone, and those who wait for it are told that the store is unavailable. The
 * thread keeps the process alive only while an answer is awaited.
 */
export class SqliteClient {
  readonly #logger = new Logger('Store');
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, { resolve(results: readonly SqliteResult[]): void; reject(error: Error): void }>();
  #nextId = 0;
  #gone: StoreError | undefined;
  #closing = false;
  #restart: NodeJS.Timeout | undefined;
  /** Gives the thread up. Only a client with a limit has it, whose requests come one at a time. */
  #overdue: Timer | undefined;

  /**
   * @param onChange is called when another process has committed
   * @param limit of one request: a thread that takes longer is given up, and replaced when it has ended, because nothing
   * interrupts a statement of SQLite
   */
  constructor(
    private readonly options: SqliteOptions,
    private readonly onChange: () => void = () => undefined,
    private readonly limit?: TimeLimit,
  ) {}

  /** Whether a request would reach a thread. */
  get answers(): boolean {
    return this.#gone === undefined;
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
    const worker = this.#worker;
    if (this.#gone || !worker) return;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    await this.#send({ close: true });
    // The process must not end before the thread has.
    worker.ref();
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
      this.#lose(cause);
      this.#replace();
    });
    return worker;
  }

  #send(request: Unnumbered<SqliteRequest>): Promise<readonly SqliteResult[]> {
    if (this.#gone) return Promise.reject(this.#gone);
    const id = this.#nextId++;
    const worker = (this.#worker ??= this.#start());
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) worker.ref();
      this.#waiting.set(id, { resolve, reject });
      if (this.limit) this.#overdue ??= this.limit.clock.setTimeout(() => this.#giveUp(worker), this.limit.ms);
      worker.postMessage({ id, ...request });
    });
  }

  #settle(reply: Exclude<SqliteReply, { changed: true }>): void {
    const waiter = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    this.#inTime();
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ('unexpected' in reply) waiter?.reject(new UnexpectedChanges(reply.unexpected));
    else if ('error' in reply) waiter?.reject(this.#refusal(reply.error));
    else waiter?.resolve(reply.results);
  }

  #refusal({ message, code }: { readonly message: string; readonly code: number }): Error {
    const cause = new SqliteError(message, code);
    if (code !== SQLITE_READONLY || this.limit) return cause;
    const { file } = this.options;
    const sentence = `The store in ${dirname(file)} cannot be written to: ${message}. Let this user write to ${file}.`;
    return new StoreError('unusable', sentence, { cause });
  }

  #inTime(): void {
    this.limit?.clock.clear(this.#overdue);
    this.#overdue = undefined;
  }

  #giveUp(worker: Worker): void {
    this.#lose(new Error(`a read has taken longer than ${this.limit!.ms} ms`));
    worker.unref();
    void worker.terminate();
  }

  #lose(cause: Error): void {
    this.#inTime();
    this.#gone ??= new StoreError('unavailable', `The store does not answer: ${cause.message}`, { cause });
    for (const waiter of this.#waiting.values()) waiter.reject(this.#gone);
    this.#waiting.clear();
  }

  #replace(): void {
    if (this.#closing) return;
    this.#logger.error(`A thread of the store has ended and is replaced. ${this.#gone!.message}`);
    this.#restart = setTimeout(() => {
      this.#worker = undefined;
      this.#gone = undefined;
      // Nobody has looked for what other processes have changed meanwhile.
      this.onChange();
    }, RESTART_DELAY);
  }
}
