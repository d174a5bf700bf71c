import type { SubjectKind, SubjectLimits } from '../auth/rules/principal-rules.js';
import { type LimitKind, limitKinds, type MakePool, type Pool } from './pool.js';

const limitOf: Record<LimitKind, (limits: SubjectLimits) => number | undefined> = {
  requests: ({ requestsPerMinute }) => requestsPerMinute,
  tokens: ({ tokensPerMinute }) => tokensPerMinute,
  concurrency: ({ concurrency }) => concurrency,
};

/** A key, a project or an account with the limits that it has. */
export class LimitedSubject {
  readonly kind: SubjectKind;
  readonly #pools = new Map<LimitKind, Pool>();
  /** Its pools, in the order of `limitKinds`. A list of its own after each change, which those that have it keep. */
  pools: readonly Pool[] = [];
  #limits: SubjectLimits | undefined;

  constructor(
    limits: SubjectLimits,
    private readonly make: MakePool,
    now: number,
  ) {
    this.kind = limits.kind;
    this.update(limits, now);
  }

  /** Takes over limits: another key of the same account has others only where the rules have changed. */
  update(limits: SubjectLimits, now: number): void {
    if (limits === this.#limits) return;
    this.#limits = limits;
    for (const kind of limitKinds) {
      const limit = limitOf[kind](limits);
      const pool = this.#pools.get(kind);
      // A pool stays when its limit is taken away, because open requests give back to it.
      if (limit === undefined) continue;
      if (pool) pool.change(limit, limits.burstSeconds, now);
      else this.#pools.set(kind, this.make(kind, limits, limit, now));
    }
    const pools = limitKinds.flatMap((kind) => (limitOf[kind](limits) === undefined ? [] : [this.#pools.get(kind)!]));
    if (pools.length !== this.pools.length || pools.some((pool, index) => pool !== this.pools[index])) this.pools = pools;
  }

  idle(now: number): boolean {
    for (const pool of this.#pools.values()) if (!pool.idle(now)) return false;
    return true;
  }

  /** All that it has had a limit of. */
  all(): Iterable<Pool> {
    return this.#pools.values();
  }
}
