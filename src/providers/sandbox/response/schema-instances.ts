import { Worker } from 'node:worker_threads';
import { ProviderError } from '../../contract/provider-error.js';
import { checkSchema, schemaError } from './schema-check.js';
import type { SchemaHints } from './schema-hints.js';

/** The time that a schema may take in the thread; a schema that takes longer is taken for hostile. */
const DEADLINE_MS = 1_000;
/** The time in which the thread must load its packages, which takes some 100 ms on an idle machine. */
const START_MS = 10_000;
const MAX_WAITING = 256;
const workerFile = new URL(import.meta.resolve('./schema-instance.worker.js'));

interface Task {
  readonly message: { id: number; schema: Readonly<Record<string, unknown>>; seed: number; hints: SchemaHints };
  resolve(json: string): void;
  reject(error: unknown): void;
}

type WorkerMessage = 'ready' | ({ id: number } & ({ json: string } | { problem: string }));

/**
 * Makes instances of JSON schemas, one at a time, in a worker thread. The thread is started on first use, is ended when
 * a schema takes too much time or memory, and never keeps an idle process alive.
 */
export class SchemaInstances {
  readonly #tasks: Task[] = [];
  #worker?: Worker;
  #ready = false;
  #timer?: NodeJS.Timeout;
  #lastId = 0;

  constructor(private readonly deadlineMs = DEADLINE_MS) {}

  /**
   * Makes JSON that is valid against the schema, the same for the same arguments.
   * @throws ProviderError invalid_request when the schema is refused or no instance is found in time, overloaded when
   * too many wait, and the signal's reason when it aborts
   */
  async create(schema: Readonly<Record<string, unknown>>, seed: number, hints: SchemaHints, signal: AbortSignal): Promise<string> {
    checkSchema(schema);
    signal.throwIfAborted();
    if (this.#tasks.length >= MAX_WAITING) throw overloaded('Too many schemas are waiting to be answered');
    const settled = new AbortController();
    try {
      return await new Promise((resolve, reject) => {
        const task: Task = { message: { id: ++this.#lastId, schema, seed, hints }, resolve, reject };
        this.#tasks.push(task);
        signal.addEventListener('abort', () => this.#forget(task, signal.reason), { signal: settled.signal });
        if (this.#tasks.length === 1) this.#next();
      });
    } finally {
      settled.abort();
    }
  }

  /** Ends the thread and rejects the tasks that wait for it. The next task starts another thread. */
  async close(): Promise<void> {
    for (const task of this.#tasks.splice(0)) task.reject(overloaded('The sandbox is closing'));
    await this.#end();
  }

  /** Rejects a task. The thread finishes a task that it has begun, although nobody waits for it any longer. */
  #forget(task: Task, reason: unknown): void {
    const position = this.#tasks.indexOf(task);
    if (position > 0) this.#tasks.splice(position, 1);
    task.reject(reason);
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#ready = false;
    await worker?.terminate();
  }

  #next(): void {
    const task = this.#tasks[0];
    if (!task) return this.#worker?.unref();
    const worker = (this.#worker ??= this.#start());
    if (!this.#ready) return;
    worker.ref();
    this.#timer = setTimeout(() => this.#fail(worker, schemaError('it takes too long')), this.deadlineMs);
    worker.postMessage(task.message);
  }

  #start(): Worker {
    const worker = new Worker(workerFile, {
      resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
      env: {},
    });
    this.#timer = setTimeout(() => this.#fail(worker, overloaded('The thread for schemas did not start')), START_MS);
    worker.on('message', (message: WorkerMessage) => this.#receive(worker, message));
    worker.on('error', (error) => this.#fail(worker, schemaError('it takes too much memory', error)));
    return worker;
  }

  #receive(worker: Worker, message: WorkerMessage): void {
    if (worker !== this.#worker) return;
    clearTimeout(this.#timer);
    if (message === 'ready') {
      this.#ready = true;
      return this.#next();
    }
    const task = this.#tasks[0];
    if (task?.message.id !== message.id) return;
    this.#tasks.shift();
    if ('json' in message) task.resolve(message.json);
    else task.reject(schemaError(message.problem));
    this.#next();
  }

  #fail(worker: Worker, error: ProviderError): void {
    if (worker !== this.#worker) return;
    void this.#end();
    this.#tasks.shift()?.reject(error);
    this.#next();
  }
}

const overloaded = (message: string) => new ProviderError('overloaded', message, { status: 503 });
