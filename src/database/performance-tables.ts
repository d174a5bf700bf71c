import type { Int } from './columns.js';

/** What one gateway process saw of one offer in one bucket of time: attempts, and sums over those that were served. */
export interface PerformanceTable {
  /** The bucket's number, counted from 1970. */
  bucket: Int;
  provider: string;
  model: string;
  node_id: string;
  served: Int;
  failed: Int;
  total_ms: Int;
  tokens: Int;
  /** The served attempts that were streamed, and the sum of their first-token times. */
  streams: Int;
  first_token_ms: Int;
}

/** What all gateways saw of one offer in a quarter of an hour that is over: sums as those of `performance`. */
export interface PerformanceHistoryTable extends Omit<PerformanceTable, 'bucket' | 'node_id'> {
  /** The number of the quarter, counted from 1970. */
  quarter: Int;
}

/** A gateway process that serves. Times are those of the store's clock. */
export interface GatewayTable {
  id: string;
  host: string;
  pid: Int;
  version: string;
  started_at: Int;
  seen_at: Int;
  open_requests: Int;
  /** Base URL of its pages; null: a version that did not write it. */
  pages: string | null;
}
