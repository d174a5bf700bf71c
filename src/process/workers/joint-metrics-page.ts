import type { MetricsPage } from '../../observability/metrics-page.js';
import type { ToWorker } from './messages.js';
import { sendToPrimary } from './send-to-primary.js';

/** Milliseconds that the primary process may take to answer. */
const TIMEOUT = 5_000;

/**
 * The metrics of all workers together, as a worker answers them: its primary process collects them (see JointMetrics).
 */
export class JointMetricsPage implements MetricsPage {
  readonly #waiting = new Map<number, (page: string) => void>();
  #nextNumber = 0;

  constructor() {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'page') this.#waiting.get(message.number)?.(message.text);
    });
  }

  /** @throws Error when the primary process does not answer in time */
  text(): Promise<string> {
    return new Promise((resolve, reject) => {
      const number = this.#nextNumber++;
      const timer = setTimeout(() => {
        this.#waiting.delete(number);
        reject(new Error('the primary process does not tell the metrics of all workers'));
      }, TIMEOUT);
      this.#waiting.set(number, (page) => {
        clearTimeout(timer);
        this.#waiting.delete(number);
        resolve(page);
      });
      sendToPrimary({ kind: 'page', number });
    });
  }
}
