import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { SubjectKind, SubjectLimits } from '../auth/rules/principal-rules.js';
import type { RateLimits, RateLimitState } from '../common/rate-limits.js';
import type { RequestContext } from '../http/requests/request-context.js';
import { Metrics } from '../observability/metrics.js';
import type { Sums } from '../observability/series.js';
import { Admission } from './admission.js';
import { limitRefusal } from './limit-refusal.js';
import { LimitedSubject } from './limited-subject.js';
import { memoryPools } from './memory-pools.js';
import type { LimitKind, Pool } from './pool.js';

/** Milliseconds between two looks for subjects of which nothing is counted any more. */
const SWEEP_MS = 60_000;

/** Counts requests, tokens and open requests of keys, projects and accounts that have limits of them. */
@Injectable()
export class LimitsService implements OnModuleInit, OnApplicationShutdown {
  readonly #subjects = new Map<string, LimitedSubject>();
  readonly #refusals: Sums;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(metrics: Metrics) {
    this.#refusals = metrics.counter('limit_refusals_total', 'Requests that a limit has refused', ['limit', 'subject']);
  }

  onModuleInit(): void {
    this.#sweeper = setInterval(() => this.#sweep(performance.now()), SWEEP_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.#sweeper);
  }

  /**
   * Takes a request, and as many tokens as it can use, of all limits or of none, and notes in the context how far they
   * are used then.
   * @param limits at least one
   * @throws ApiError 429 rate_limit_exceeded
   */
  admit(limits: readonly SubjectLimits[], tokens: number, context: RequestContext): Admission | Promise<Admission> {
    const now = performance.now();
    const pools: Pool[] = [];
    for (const one of limits) {
      const subject = this.#subject(one, now);
      for (const pool of subject.pools) {
        const units = unitsOf(pool.kind, tokens);
        if (!pool.has(units, now)) throw this.#refuse(limits, pool, subject.kind, units, context, now);
        pools.push(pool);
      }
    }
    for (const pool of pools) pool.take(unitsOf(pool.kind, tokens), now);
    context.rateLimits = statesOf(pools, now);
    return new Admission(pools, tokens);
  }

  #subject(limits: SubjectLimits, now: number): LimitedSubject {
    let subject = this.#subjects.get(limits.subject);
    if (subject) subject.update(limits, now);
    else this.#subjects.set(limits.subject, (subject = new LimitedSubject(limits, memoryPools, now)));
    return subject;
  }

  #refuse(limits: readonly SubjectLimits[], pool: Pool, kind: SubjectKind, units: number, context: RequestContext, now: number): Error {
    this.#refusals.add(1, pool.kind, kind);
    context.rateLimits = statesOf(
      limits.flatMap((one) => this.#subject(one, now).pools),
      now,
    );
    return limitRefusal(pool, kind, units, now);
  }

  #sweep(now: number): void {
    for (const [name, subject] of this.#subjects) if (subject.idle(now)) this.#subjects.delete(name);
  }
}

function unitsOf(kind: LimitKind, tokens: number): number {
  return kind === 'tokens' ? tokens : 1;
}

/** Of several subjects the state of the one that leaves the least. */
function statesOf(pools: readonly Pool[], now: number): RateLimits {
  let requests: RateLimitState | undefined;
  let tokens: RateLimitState | undefined;
  for (const pool of pools) {
    if (pool.kind === 'concurrency') continue;
    const state = pool.state(now);
    if (pool.kind === 'requests') requests = tighter(state, requests);
    else tokens = tighter(state, tokens);
  }
  return { requests, tokens };
}

function tighter(one: RateLimitState, other: RateLimitState | undefined): RateLimitState {
  return other === undefined || one.remaining < other.remaining ? one : other;
}
