import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { SubjectKind, SubjectLimits } from '../auth/rules/principal-rules.js';
import { Clock, type Timer } from '../common/time/clock.js';
import type { RateLimits, RateLimitState } from '../common/limits/rate-limits.js';
import type { RequestContext } from '../http/requests/request-context.js';
import { Database } from '../database/database.js';
import { FINE_SECONDS, Metrics } from '../observability/metrics.js';
import type { Sums } from '../observability/series.js';
import { Admission } from './admission.js';
import { limitRefusal } from './limit-refusal.js';
import { LimitedSubject } from './limited-subject.js';
import { LeasedPlaces } from './leased-places.js';
import { LeasedRate } from './leased-rate.js';
import { LimitExchange } from './limit-exchange.js';
import { memoryPools } from './memory-pools.js';
import type { LimitKind, MakePool, Pool } from './pool.js';
import { PostgresLimits } from './postgres-limits.js';

/** Milliseconds between two looks for subjects of which nothing is counted any more. */
const SWEEP_MS = 60_000;

/** The store is swept once for so many looks, which is once an hour. */
const STORE_SWEEPS = 60;

/** Milliseconds after which what was leased and not used is given back. */
const TICK_MS = 1_000;

/** How often a request asks for what is not here, before it is refused: others may be served before it. */
const MAX_ROUNDS = 3;

/** Counts requests, tokens and open requests of keys, projects and accounts that have limits of them. */
@Injectable()
export class LimitsService implements OnModuleInit, OnApplicationShutdown {
  readonly #subjects = new Map<string, LimitedSubject>();
  readonly #refusals: Sums;
  #sweeps = 0;
  #sweeper: Timer | undefined;

  #make: MakePool = memoryPools;
  #exchange: LimitExchange | undefined;
  #ticker: Timer | undefined;

  constructor(
    private readonly database: Database,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {
    this.#refusals = metrics.counter('limit_refusals_total', 'Requests that a limit has refused', ['limit', 'subject']);
  }

  onModuleInit(): void {
    if (this.database.engine === 'postgres') this.#share();
    this.#sweeper = this.clock.setInterval(() => this.#sweep(this.clock.monotonic()), SWEEP_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.clock.clear(this.#sweeper);
    this.clock.clear(this.#ticker);
    await this.#exchange?.close(this.#leased());
  }

  /**
   * Takes a request, and as many tokens as it can use, of all limits or of none, and notes in the context how far they
   * are used then.
   * @param limits at least one
   * @throws ApiError 429 rate_limit_exceeded
   */
  admit(limits: readonly SubjectLimits[], tokens: number, context: RequestContext): Admission | Promise<Admission> {
    return this.#admit({ limits, tokens, context }, 0);
  }

  /**
   * Takes a request that generates nothing. As many may be open at the same time as of those that generate, beside them:
   * a response in the background, which has a place, can be asked for and cancelled.
   * @throws ApiError 429 rate_limit_exceeded
   */
  admitFree(limits: readonly SubjectLimits[], context: RequestContext): Admission | Promise<Admission> {
    return this.#admit({ limits, tokens: 0, context, free: true }, 0);
  }

  #admit(request: LimitedRequest, round: number): Admission | Promise<Admission> {
    const { limits, tokens, context } = request;
    const now = this.clock.monotonic();
    let pools: readonly Pool[] = [];
    let asked: Promise<void>[] | undefined;
    for (const one of limits) {
      const own = this.#poolsOf(one, request, now);
      // Most requests have the limits of one subject, whose list is never changed.
      pools = pools.length === 0 ? own : [...pools, ...own];
      for (const pool of own) {
        const units = unitsOf(pool.kind, tokens);
        if (pool.has(units, now)) continue;
        const asking = round < MAX_ROUNDS ? pool.ask(units, now, round) : undefined;
        if (!asking) throw this.#refuse(request, pool, one.kind, now);
        (asked ??= []).push(asking);
      }
    }
    if (asked) return Promise.all(asked).then(() => this.#admit(request, round + 1));
    for (const pool of pools) pool.take(unitsOf(pool.kind, tokens), now);
    context.rateLimits = statesOf(pools, now);
    return new Admission(pools, tokens, this.clock);
  }

  #poolsOf(limits: SubjectLimits, { free }: LimitedRequest, now: number): readonly Pool[] {
    const { pools } = this.#subject(limits, now);
    if (!free) return pools;
    const places = limits.concurrency === undefined ? [] : this.#subject(placesOf(limits), now).pools;
    return [...pools.filter(({ kind }) => kind === 'requests'), ...places];
  }

  #subject(limits: SubjectLimits, now: number): LimitedSubject {
    let subject = this.#subjects.get(limits.subject);
    if (subject) subject.update(limits, now);
    else this.#subjects.set(limits.subject, (subject = new LimitedSubject(limits, this.#make, now)));
    return subject;
  }

  #refuse(request: LimitedRequest, pool: Pool, kind: SubjectKind, now: number): Error {
    const { limits, tokens, context } = request;
    this.#refusals.add(1, pool.kind, kind);
    const pools = limits.flatMap((one) => this.#poolsOf(one, request, now));
    context.rateLimits = statesOf(pools, now);
    return limitRefusal(pool, kind, unitsOf(pool.kind, tokens), now);
  }

  /** Several processes answer requests of the same keys. */
  #share(): void {
    const durations = this.metrics.histogram('limit_store_seconds', 'Questions about limits to the store', [], FINE_SECONDS);
    const exchange = new LimitExchange(new PostgresLimits(this.database), durations, this.clock);
    this.#exchange = exchange;
    this.#make = (kind, { subject, burstSeconds }, limit, now) =>
      kind === 'concurrency'
        ? new LeasedPlaces(limit, subject, exchange, this.clock)
        : new LeasedRate(kind, subject, { perMinute: limit, burstSeconds }, now, exchange);
    this.#ticker = this.clock.setInterval(() => exchange.tick(this.#leased(), this.clock.monotonic()), TICK_MS).unref();
  }

  *#leased(): Generator<LeasedRate | LeasedPlaces> {
    for (const subject of this.#subjects.values())
      for (const pool of subject.all()) if (pool instanceof LeasedRate || pool instanceof LeasedPlaces) yield pool;
  }

  #sweep(now: number): void {
    for (const [name, subject] of this.#subjects) if (subject.idle(now)) this.#subjects.delete(name);
    if (++this.#sweeps % STORE_SWEEPS === 0) void this.#exchange?.sweep();
  }
}

interface LimitedRequest {
  readonly limits: readonly SubjectLimits[];
  readonly tokens: number;
  readonly context: RequestContext;
  /** It generates nothing. */
  readonly free?: true;
}

const places = new WeakMap<SubjectLimits, SubjectLimits>();

/** The places for open requests that generate nothing. */
function placesOf(limits: SubjectLimits): SubjectLimits {
  const known = places.get(limits);
  if (known) return known;
  const { subject, kind, burstSeconds, concurrency } = limits;
  const own = { subject: `${subject}/free`, kind, burstSeconds, concurrency };
  places.set(limits, own);
  return own;
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
