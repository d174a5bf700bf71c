import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import type { Figures, ToWorker } from './messages.js';

/** Milliseconds after which the last known figures of a worker stand for those that it does not tell. */
const PATIENCE = 2_000;

/** What only ever grows, and must not shrink when its process is gone. */
const SUMS = new Set<unknown>(['counter', 'histogram']);

/** The metrics of all workers as one page, with the sums of those that have ended. */
export class JointMetrics {
  readonly #last = new Map<number, Figures>();
  readonly #asked = new Map<string, () => void>();
  #ended: Figures = [];
  #number = 0;

  /** In the Prometheus text format. */
  async page(workers: Iterable<Worker>): Promise<string> {
    await this.refresh(workers);
    return AggregatorRegistry.aggregate([this.#ended, ...this.#last.values()]).metrics();
  }

  /** Asks all of them. What a worker has counted since it was asked last is lost when it is killed. */
  async refresh(workers: Iterable<Worker>): Promise<void> {
    const number = this.#number++;
    await Promise.all(Array.from(workers, (worker) => this.#ask(worker, number)));
  }

  /** @param number of what it was asked; absent: it says so by itself */
  heard({ id }: Worker, figures: Figures, number?: number): void {
    this.#last.set(id, figures);
    this.#asked.get(`${id} ${number}`)?.();
  }

  /** It will say nothing more. */
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
      // An error means that it has just gone; then what it said last counts.
      worker.send(ask, (error) => error && done());
    });
  }
}
