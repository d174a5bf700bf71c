import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config.schema.js';
import type { Log } from '../../observability/log.js';
import { JointMetrics } from './joint-metrics.js';
import type { Listening, ToPrimary, ToWorker } from './messages.js';
import { RestartDelay } from './restart-delay.js';
import { passOnLines } from './whole-lines.js';

/** Milliseconds between two looks at the workers' metrics; what a worker has counted since is lost when it is killed. */
const METRICS_INTERVAL = 1_000;

/** Milliseconds beyond the drain that a worker has to write its last settlements and end. */
const LAST_WORDS = 15_000;

/** Workers that still answer old requests, for each that serves; with more of them the oldest are told to come to an end. */
const MAX_LEAVING = 2;

/** A worker ended before it served. It has said why itself. */
export class WorkerFailed extends Error {
  override message = 'the new workers do not start';
}

/** Writes of the workers' output, whole lines. */
export interface Output {
  readonly stdout: (lines: string) => void;
  readonly stderr: (lines: string) => void;
}

/** The processes that serve on one port: as many as are wanted, whoever of them dies, and none of them with an older configuration. */
export class WorkerPool {
  readonly #metrics = new JointMetrics();
  readonly #restarts = new RestartDelay();
  readonly #serving = new Set<Worker>();
  readonly #leaving = new Set<Worker>();
  /** Those that start, too. */
  readonly #all = new Map<Worker, { readonly startedAt: number; readonly config: Config }>();
  #config: Config;
  #count = 0;
  /** Workers are being started on purpose: nobody is surplus before all are there. */
  #changing = false;
  #stopping = false;

  constructor(
    private readonly log: Log,
    private readonly output: Output,
  ) {
    // The workers accept for themselves. By turns, Node's usual way, a connection that is on its way to a worker when that is killed stays open for ever.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ silent: true });
    setInterval(() => void this.#metrics.refresh(this.#ready()), METRICS_INTERVAL).unref();
  }

  /** One first: what keeps it from starting would keep all. @throws WorkerFailed */
  async start(config: Config, count: number): Promise<Listening> {
    this.#config = config;
    this.#changing = true;
    const { listening } = await this.#fork();
    this.#count = count;
    await Promise.all(Array.from({ length: count - 1 }, () => this.#fork()));
    this.#changing = false;
    return listening;
  }

  /** Puts new workers in the place of those that serve, one after the other, so that there are never fewer. @throws WorkerFailed; then the rest stays */
  async replace(config: Config, count: number): Promise<void> {
    const before = this.#config;
    const old = [...this.#serving];
    this.#config = config;
    this.#changing = true;
    try {
      for (let made = 0; made < count && !this.#stopping; made++) {
        await this.#fork();
        this.#count = count;
        this.#leave(old[made]);
      }
    } catch (error) {
      // None has come up with it.
      if (!this.#ready().some((worker) => this.#all.get(worker)?.config === config)) this.#config = before;
      throw error;
    } finally {
      this.#changing = false;
      this.#trim();
      this.#fill();
    }
  }

  /** Ends all of them; those that have not ended in time are killed. @returns whether all have ended well */
  async stop(): Promise<boolean> {
    this.#stopping = true;
    const { drain_delay, drain_timeout } = this.#config.server;
    let well = true;
    const ends = Array.from(this.#all.keys(), (worker) => ended(worker).then((code) => (well &&= code === 0)));
    for (const worker of this.#all.keys()) say(worker, { kind: 'stop' });
    await Promise.race([Promise.all(ends), delay(drain_delay + drain_timeout + LAST_WORDS, undefined, { ref: false })]);
    if (this.#all.size > 0) this.kill();
    await Promise.all(ends);
    return well;
  }

  kill(): void {
    for (const { process } of this.#all.keys()) process.kill('SIGKILL');
  }

  async #fork(): Promise<{ listening: Listening }> {
    const worker = cluster.fork();
    this.#all.set(worker, { startedAt: performance.now(), config: this.#config });
    passOnLines(worker.process.stdout!, this.output.stdout);
    passOnLines(worker.process.stderr!, this.output.stderr);
    say(worker, { kind: 'serve', config: this.#config });
    worker.once('disconnect', () => this.#metrics.end(worker));
    worker.process.once('close', (code, signal) => this.#gone(worker, signal ?? `exit code ${code}`, code === 0));
    return new Promise((resolve, reject) => {
      worker.process.once('close', () => reject(new WorkerFailed()));
      worker.on('message', (message: ToPrimary) => {
        switch (message.kind) {
          case 'ready':
            this.#serving.add(worker);
            resolve({ listening: message });
            // It may have been started before the configuration changed.
            return this.#trim();
          case 'figures':
            return this.#metrics.heard(worker, message.figures, message.number);
          case 'page':
            return void this.#page(worker, message.number);
        }
      });
    });
  }

  async #page(worker: Worker, number: number): Promise<void> {
    say(worker, { kind: 'page', number, text: await this.#metrics.page(this.#ready()) });
  }

  #ready(): Worker[] {
    return [...this.#serving, ...this.#leaving];
  }

  /** Workers beyond those that are wanted leave: of an older configuration first, then the oldest. */
  #trim(): void {
    const surplus = this.#serving.size - this.#count;
    if (this.#changing || surplus <= 0) return;
    const isCurrent = (worker: Worker): number => Number(this.#all.get(worker)?.config === this.#config);
    const first = [...this.#serving].sort((a, b) => isCurrent(a) - isCurrent(b));
    for (const worker of first.slice(0, surplus)) this.#leave(worker);
  }

  #leave(worker: Worker | undefined): void {
    // It may have died meanwhile.
    if (!worker || !this.#serving.delete(worker)) return;
    this.#leaving.add(worker);
    say(worker, { kind: 'leave' });
    const tooMany = [...this.#leaving].slice(0, Math.max(0, this.#leaving.size - MAX_LEAVING * this.#count));
    for (const oldest of tooMany) say(oldest, { kind: 'stop' });
  }

  #gone(worker: Worker, how: string, well: boolean): void {
    const startedAt = this.#all.get(worker)!.startedAt;
    this.#all.delete(worker);
    const left = this.#leaving.delete(worker);
    this.#serving.delete(worker);
    if (left && !well) this.log.warn(`worker ${worker.id} ended before its last requests (${how})`);
    if (left || this.#stopping || this.#serving.size >= this.#count) return;
    const wait = this.#restarts.after(performance.now() - startedAt);
    this.log.warn(`worker ${worker.id} ended (${how}), another one starts in ${wait} ms`);
    setTimeout(() => this.#fill(), wait);
  }

  /** Another attempt follows when this one ends. */
  #fill(): void {
    const starting = this.#all.size - this.#serving.size - this.#leaving.size;
    for (let missing = this.#count - this.#serving.size - starting; missing > 0 && !this.#stopping; missing--)
      this.#fork().catch(() => undefined);
  }
}

function say(worker: Worker, message: ToWorker): void {
  // Whoever has just gone need not hear it.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

function ended({ process }: Worker): Promise<number | null> {
  return new Promise((resolve) => process.once('close', resolve));
}
