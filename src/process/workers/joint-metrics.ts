import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import type { Figures, ToWorker } from './messages.js';

/** Milliseconds that a worker may take to report. After them its last known figures count. */
const PATIENCE = 2_000;

/** Types of metrics that only ever grow: they must not shrink when a worker ends. */
const SUMS = new Set<unknown>(['counter', 'histogram']);

/** The metrics of all workers as one page. Counters and histograms include what workers that have ended had counted. */
export class JointMetrics {
  readonly #last = new Map<number, Figures>();
  readonly #asked = new Map<string, () => void>();
  #ended: Figures = [];
  #number = 0;

  /** @returns the page in the Prometheus text format */
  async page(workers: Iterable<Worker>): Promise<string> {
    await this.refresh(workers);
    return AggregatorRegistry.aggregate([this.#ended, ...this.#last.values()]).metrics();
  }

  /** Asks all workers for their figures. What a worker has counted since its last report is lost when it is killed. */
  async refresh(workers: Iterable<Worker>): Promise<void> {
    const number = this.#number++;
    await Promise.all(Array.from(workers, (worker) => this.#ask(worker, number)));
  }

  /**
   * Takes a worker's report.
   * @param number of the question that it answers; absent where the worker reports on its own
   */
  heard({ id }: Worker, figures: Figures, number?: number): void {
    this.#last.set(id, figures);
    this.#asked.get(`${id} ${number}`)?.();
  }

  /** To be called when a worker has disconnected: it reports nothing more. */
  end({ id }: Worker): void {
    const sums = (this.#last.get(id) ?? []).filter(({ type }) => SUMS.has(type));
    this.#last.delete(id);
    for (const [name, done] of this.#asked) if (name.startsWith(`${id} `)) done();
    const together = AggregatorRegistry.aggregate([this.#ended, sums]).getMetricsAsArray() as unknown as Figures;
    this.#ended = together.map(({ name, help, type, aggregator, values }) => ({ name, help, type, aggregator, values }));
  }

  #ask(worker: Worker, number: number): Promise<void> {
    if (!worker.isConnected()) return Promise.resolve();
    return new Promise((resolve) => {
      const name = `${worker.id} ${number}`;
      const done = (): void => {
        clearTimeout(timer);
        this.#asked.delete(name);
        resolve();
      };
      const timer = setTimeout(done, PATIENCE);
      this.#asked.set(name, done);
      const ask: ToWorker = { kind: 'report', number };
      // An error means that the worker has just gone; then its last report counts.
      worker.send(ask, (error) => error && done());
    });
  }
}
