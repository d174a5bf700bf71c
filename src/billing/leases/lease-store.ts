import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.js';
import type { LowBalances } from '../../webhooks/low-balances.js';
import type { BalanceKey } from '../balance-key.js';
import { KnownBudgets } from '../budgets/known-budgets.js';
import { reapShares } from '../budgets/reap-shares.js';
import type { Ending } from '../hold/request-facts.js';
import { flushLocking } from './flush-locking.js';
import { flushOptimistic } from './flush-optimistic.js';
import type { LeaseHolder } from '../protocol/unit-of-work.js';
import type { Flushed } from './flush.js';
import type { Lease, Settled } from '../protocol/ledger-rows.js';
import { leasesOf, type LedgerAnswer, type LedgerBatch } from './ledger-batch.js';
import { LedgerFigures } from './ledger-figures.js';
import { recalling } from '../protocol/ledger-statements.js';
import { MAX_REAPED } from '../protocol/lease-timing.js';
import { reapSome } from './reap-leases.js';

/** The operations of the lease protocol on the store, on either engine. Each is one transaction. */
export class LeaseStore {
  /** This process's leases and shares as its last transaction left them: others can only end them. Empty after a failure. */
  readonly #known = new Map<string, Lease>();
  readonly #budgets = new KnownBudgets();
  /** Ids of the requests that the store was told of and may have in flight. */
  readonly #inflight = new Set<string>();
  readonly #holder: LeaseHolder;

  /** @param ttl milliseconds until a lease runs out that nobody renews */
  constructor(
    private readonly database: Database,
    private readonly nodeId: string,
    ttl: number,
    private readonly figures = new LedgerFigures(),
    lowBalances?: LowBalances,
  ) {
    this.#holder = { database, nodeId, ttl, lowBalances };
  }

  async sync(batch: LedgerBatch): Promise<LedgerAnswer> {
    const began = performance.now();
    const { newlySettled, ...answer } = await this.#flush(batch);
    this.figures.flushes.observe((performance.now() - began) / 1000);
    this.#settled(newlySettled);
    return answer;
  }

  /** Settles what the journal of a dead process says. */
  async replay(endings: readonly Ending[], deadNode: string): Promise<void> {
    // The dead process may have told the store of any of them.
    for (const { request } of endings) this.#inflight.add(request.requestId);
    const { newlySettled } = await this.#flush({ begins: [], progress: [], endings, returns: [], grants: [], renews: [], deadNode });
    this.#recovered(newlySettled);
  }

  #settled(newlySettled: readonly Settled[]): void {
    for (const { environment, collected, uncollected } of newlySettled) {
      this.figures.collected[environment] += collected;
      this.figures.uncollected[environment] += uncollected;
    }
  }

  #recovered(newlySettled: readonly Settled[]): void {
    for (const { environment, first } of newlySettled) if (first) this.figures.recovered[environment]++;
    this.#settled(newlySettled);
  }

  async #flush(batch: LedgerBatch): Promise<Flushed> {
    const leaseIds = leasesOf(batch);
    for (const { requestId } of batch.begins) this.#inflight.add(requestId);
    const ended = batch.endings.map(({ request }) => request.requestId).filter((id) => this.#inflight.has(id));
    try {
      const affected = { leaseIds, ended };
      const flushed =
        (await flushOptimistic(this.#known, this.#holder, batch, affected, this.#budgets)) ??
        (await flushLocking(this.#holder, batch, affected));
      if (flushed.budgets) this.#budgets.learn(flushed.budgets.balances, flushed.budgets.keys);
      for (const id of ended) this.#inflight.delete(id);
      for (const id of [...leaseIds, ...(batch.shares ?? []).map((share) => share.id)]) {
        const lease = flushed.leases.get(id);
        if (lease) this.#known.set(id, lease);
        else this.#known.delete(id);
      }
      return flushed;
    } catch (error) {
      this.#known.clear();
      throw error;
    }
  }

  /** The recalls for whose answers a request may wait. */
  async recalls(): Promise<{ account: BalanceKey; recall: bigint }[]> {
    const { db } = this.database;
    const columns = ['account_id', 'environment', 'recall'] as const;
    const wait = recalling(this.database);
    const balances = await db.selectFrom('balance').select(columns).where('recall_until', '>', 0n).where(wait).execute();
    const budgets = await db.selectFrom('budget').select([...columns, 'name']).where('recall_until', '>', 0n).where(wait).execute(); // prettier-ignore
    return [...balances.map((row) => ({ ...row, name: undefined })), ...budgets].map((row) => ({
      account: { accountId: row.account_id, environment: row.environment, budget: row.name },
      recall: row.recall,
    }));
  }

  /** Finds out whether the store answers. */
  async ping(): Promise<void> {
    await sql`select 1`.execute(this.database.db);
  }

  /**
   * Ends the leases of other processes that have run out, and their shares of budgets.
   * @returns how many
   */
  reapExpired(): Promise<number> {
    return this.#reap(sql`node_id <> ${this.nodeId} and expires_at < ${this.database.clock()}`);
  }

  /**
   * Ends the leases and shares of a process that is known to be dead; without its name those of all other processes,
   * where none can be alive.
   * @returns how many leases
   */
  reapDead(nodeId?: string): Promise<number> {
    return this.#reap(nodeId === undefined ? sql`node_id <> ${this.nodeId}` : sql`node_id = ${nodeId}`);
  }

  /** Shares come last: what was in flight on a lease is paid for by the shares of its process. */
  async #reap(which: RawBuilder<boolean>): Promise<number> {
    let reaped = 0;
    for (let more = true; more;) {
      const { count, newlySettled } = await reapSome(this.#holder, which);
      this.#recovered(newlySettled);
      reaped += count;
      more = count === MAX_REAPED;
    }
    while ((await reapShares(this.#holder, which)) === MAX_REAPED);
    return reaped;
  }
}
