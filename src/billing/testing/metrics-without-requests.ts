import { Metrics } from '../../observability/metrics.js';

/** Metrics of a process that answers no requests. */
export function metricsWithoutRequests(): Metrics {
  const [requests, streams] = [{ size: 0, onEnd: () => undefined }, { size: 0 }];
  return new Metrics(...([requests, streams] as unknown as ConstructorParameters<typeof Metrics>));
}
