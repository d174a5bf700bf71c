import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../observability/log.js';
import { JointMetrics } from './joint-metrics.js';
import type { Listening, Served, ToPrimary, ToWorker } from './messages.js';
import { RestartDelay } from './restart-delay.js';
import { passOnLines } from './whole-lines.js';

/**
 * Milliseconds between two reports of the workers' metrics. What a worker has counted since its last report is lost
 * when it is killed.
 */
const METRICS_INTERVAL = 1_000;

/**
 * Milliseconds beyond the drain timeout in which a worker can write its last settlements and end, before it is killed.
 */
const SETTLEMENT_TIMEOUT = 15_000;

/**
 * How many leaving workers may still answer old requests, for each worker that serves. Beyond that the oldest ones must
 * end within the drain timeout.
 */
const MAX_LEAVING = 2;

/** A worker ended before it served. It has printed the reason itself. */
export class WorkerFailed extends Error {
  override message = 'the new workers do not start';
}

/** Where the workers' output goes, in whole lines. */
interface Output {
  readonly stdout: (lines: string) => void;
  readonly stderr: (lines: string) => void;
}

/**
 * Keeps the wanted number of worker processes serving on one port with the current configuration, and replaces those
 * that end by themselves.
 */
export class WorkerPool {
  readonly #metrics = new JointMetrics();
  readonly #restarts = new RestartDelay();
  readonly #serving = new Set<Worker>();
  readonly #leaving = new Set<Worker>();
  /** All workers that live, including those that are starting. */
  readonly #all = new Map<Worker, { readonly startedAt: number; readonly served: Served }>();
  #served: Served;
  #count = 0;
  /** True while `start` or `replace` is starting workers: no worker is surplus before all of them serve. */
  #changing = false;
  #stopping = false;

  constructor(
    private readonly log: Log,
    private readonly output: Output,
  ) {
    // The workers accept connections themselves. With Node's default, round robin, a connection that is being handed to
    // a worker which is killed at that moment stays open for ever.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({ silent: true });
    setInterval(() => void this.#metrics.refresh(this.#ready()), METRICS_INTERVAL).unref();
  }

  /**
   * Starts one worker first, because what keeps it from starting would keep all others too.
   * @throws WorkerFailed
   */
  async start(served: Served, count: number): Promise<Listening> {
    this.#served = served;
    this.#changing = true;
    const { listening } = await this.#fork();
    this.#count = count;
    await Promise.all(Array.from({ length: count - 1 }, () => this.#fork()));
    this.#changing = false;
    return listening;
  }

  /**
   * Replaces the workers that serve by new ones, one after the other, so that never fewer serve.
   * @throws WorkerFailed when a new worker does not start; the workers that are not replaced yet stay
   */
  async replace(served: Served, count: number): Promise<void> {
    const before = this.#served;
    const old = [...this.#serving];
    this.#served = served;
    this.#changing = true;
    try {
      for (let made = 0; made < count && !this.#stopping; made++) {
        await this.#fork();
        this.#count = count;
        this.#leave(old[made]);
      }
    } catch (error) {
      // Without a worker that serves with the new configuration, the old one stays in force for restarts.
      if (!this.#ready().some((worker) => this.#all.get(worker)?.served === served)) this.#served = before;
      throw error;
    } finally {
      this.#changing = false;
      this.#trim();
      this.#fill();
    }
  }

  /**
   * Ends all workers, and kills those that have not ended in time.
   * @returns whether all have ended with exit code 0
   */
  async stop(): Promise<boolean> {
    this.#stopping = true;
    const { drain_delay, drain_timeout } = this.#served.config.server;
    let well = true;
    const ends = Array.from(this.#all.keys(), (worker) => ended(worker).then((code) => (well &&= code === 0)));
    for (const worker of this.#all.keys()) say(worker, { kind: 'stop' });
    await Promise.race([Promise.all(ends), delay(drain_delay + drain_timeout + SETTLEMENT_TIMEOUT, undefined, { ref: false })]);
    if (this.#all.size > 0) this.kill();
    await Promise.all(ends);
    return well;
  }

  kill(): void {
    for (const { process } of this.#all.keys()) process.kill('SIGKILL');
  }

  async #fork(): Promise<{ listening: Listening }> {
    const worker = cluster.fork();
    this.#all.set(worker, { startedAt: performance.now(), served: this.#served });
    passOnLines(worker.process.stdout!, this.output.stdout);
    passOnLines(worker.process.stderr!, this.output.stderr);
    say(worker, { kind: 'serve', ...this.#served });
    worker.once('disconnect', () => this.#metrics.end(worker));
    worker.process.once('close', (code, signal) => this.#gone(worker, signal ?? `exit code ${code}`, code === 0));
    return new Promise((resolve, reject) => {
      worker.process.once('close', () => reject(new WorkerFailed()));
      worker.on('message', (message: ToPrimary) => {
        switch (message.kind) {
          case 'ready':
            this.#serving.add(worker);
            resolve({ listening: message });
            // The worker may have been started before the configuration changed, and be surplus now.
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

  /** Tells surplus workers to leave: first those with an older configuration, then the oldest. */
  #trim(): void {
    const surplus = this.#serving.size - this.#count;
    if (this.#changing || surplus <= 0) return;
    const isCurrent = (worker: Worker): number => Number(this.#all.get(worker)?.served === this.#served);
    const first = [...this.#serving].sort((a, b) => isCurrent(a) - isCurrent(b));
    for (const worker of first.slice(0, surplus)) this.#leave(worker);
  }

  #leave(worker: Worker | undefined): void {
    // The worker may have died meanwhile.
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

  /** Starts the workers that are missing. Where one fails, `#gone` makes the next attempt. */
  #fill(): void {
    const starting = this.#all.size - this.#serving.size - this.#leaving.size;
    for (let missing = this.#count - this.#serving.size - starting; missing > 0 && !this.#stopping; missing--)
      this.#fork().catch(() => undefined);
  }
}

function say(worker: Worker, message: ToWorker): void {
  // A failure means that the worker has just gone, and then the message does not matter.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

function ended({ process }: Worker): Promise<number | null> {
  return new Promise((resolve) => process.once('close', resolve));
}
