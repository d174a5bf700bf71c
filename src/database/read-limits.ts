/**
 * What is looked at by people, and of stored responses, is read through connections of its own: whatever is asked there,
 * it never stands before the check of a key, a revocation, a hold or the flush of the ledger.
 */
export const readLimits = {
  /** Connections of a process. */
  connections: { sqlite: 2, postgres: 4 },
  /** Reads that may wait for one of them. */
  waiting: 1_000,
  /** Milliseconds that a read waits. */
  patienceMs: 5_000,
  /** Milliseconds that one statement may take. */
  timeMs: 10_000,
} as const;
