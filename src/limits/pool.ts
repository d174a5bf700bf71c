import type { SubjectLimits } from '../auth/rules/principal-rules.js';
import type { RateLimitState } from '../common/limits/rate-limits.js';

/** What is limited: requests and tokens by the minute, and requests that are answered at the same time. */
export const limitKinds = ['requests', 'tokens', 'concurrency'] as const;

export type LimitKind = (typeof limitKinds)[number];

/** What this process may use of one limit of one subject. Times are monotonic milliseconds. */
export interface Pool {
  readonly kind: LimitKind;
  /** Units a minute, or at the same time. */
  readonly limit: number;
  /** The rules of the subject have changed, or are those of another key that shares them. */
  change(limit: number, burstSeconds: number, now: number): void;
  /** Whether `units` can be taken at once. */
  has(units: number, now: number): boolean;
  /** To be called where `has` has said so. */
  take(units: number, now: number): void;
  /** To be called once for each take of tokens and places. A negative number takes more, whatever there is. */
  giveBack(units: number, now: number): void;
  /**
   * Asks elsewhere for `units` that are not here.
   * @param round how often the request has asked before, from 0
   * @returns undefined where that is known to be in vain; resolves when it is worthwhile to look again
   */
  ask(units: number, now: number, round: number): Promise<void> | undefined;
  state(now: number): RateLimitState;
  /** Milliseconds until `units` can be taken, if nobody else takes any; undefined where nobody can know. */
  until(units: number, now: number): number | undefined;
  /** Whether nothing would be lost if it was forgotten. */
  idle(now: number): boolean;
}

/** Makes what counts one limit of a subject from now on. */
export type MakePool = (kind: LimitKind, of: SubjectLimits, limit: number, now: number) => Pool;
