/**
 * What `GET /metrics` answers. Where several processes serve on one port, each of them answers with the figures of all.
 */
export abstract class MetricsPage {
  /** @returns the page in the Prometheus text format */
  abstract text(): Promise<string>;
}
