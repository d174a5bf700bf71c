import type { Int } from './columns.js';

/**
 * Of a limit by the minute, on PostgreSQL alone: what its processes count together. What the last of them has asked
 * stands in the row, so that one statement answers it.
 */
export interface LimitBucketTable {
  /** As SubjectLimits.subject. */
  subject: string;
  kind: 'requests' | 'tokens';
  /** What was left at a time, in parts of a unit (common/limits/gcra.ts); negative in debt. */
  level: Int;
  at: Int;
  /** In parts. */
  capacity: Int;
  /** Units a minute. */
  rate: Int;
  need: Int;
  want: Int;
  back: Int;
  granted: Int;
}

/** Of a limit of open requests, on PostgreSQL alone. */
export interface LimitPlaceTable {
  subject: string;
  /** JSON: by the id of a process its places and the time at which they end. */
  holders: unknown;
  at: Int;
  /** The process that has asked last, and what it was answered. */
  node: string;
  places: Int;
  used: Int;
  wanted: Int;
  others: Int;
  granted: Int;
}
