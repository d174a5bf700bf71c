import type { Compilable, Transaction } from 'kysely';
import { type Environment, environments } from '../../auth/principal.js';
import type { Database } from '../../database/database.js';
import type { Schema } from '../../database/schema.js';
import type { LowBalances } from '../../webhooks/low-balances.js';
import { type BalanceKey, balanceName } from '../balance-key.js';
import { CRASHED } from '../hold/request-facts.js';
import { REVENUE } from '../system-accounts.js';
import { changeClaims, collectedLater } from './claim-rows.js';
import { addClaim } from './claims.js';
import type { BalanceRow, Lease, LedgerRows, Settled } from './ledger-rows.js';
import { recallWait } from './lease-timing.js';
import { addToBalance, changeLease, lockRows, type RowsQuery, type SelectedClaim } from './ledger-statements.js';

/** The process whose leases a flush is about, and the store that keeps them. */
export interface LeaseHolder {
  readonly database: Database;
  readonly nodeId: string;
  /** Milliseconds until a lease runs out that nobody renews. */
  readonly ttl: number;
  /** Is told of accounts whose balances have changed. */
  readonly lowBalances?: LowBalances | undefined;
}

/**
 * The rows of one operation of the ledger: they are locked and read, the protocol changes them, and what has changed is
 * written back.
 */
export class UnitOfWork {
  readonly rows: LedgerRows = { balances: new Map(), leases: new Map(), charges: new Map(), claims: new Map(), revenue: new Map() };
  /** As they were before the protocol changed them. */
  readonly #balances = new Map<string, BalanceRow & BalanceKey & { readonly budgeted: bigint }>();
  readonly #leases = new Map<string, Lease>();
  #claims: readonly SelectedClaim[] = [];

  private constructor(private readonly database: Database) {}

  /**
   * Reads nothing: a lease is taken for what this process was last told of it, and the statement that changes it fails
   * where it is something else. Of the balances nothing is known, so that nothing can be collected from them: only
   * endings fit that are charged out of their leases in full.
   * @param budgeted how many budgets balances were given, where that is not none
   */
  static optimistic(
    database: Database,
    leases: Iterable<readonly [string, Lease]>,
    balances: Iterable<BalanceKey>,
    budgeted: ReadonlyMap<string, bigint>,
  ): UnitOfWork {
    const work = new UnitOfWork(database);
    for (const [id, lease] of leases) work.#addLease(id, lease);
    for (const key of balances) {
      const name = balanceName(key);
      if (work.#balances.has(name)) continue;
      work.#addBalance(key, { posted: 0n, reserved: 0n, recall: 0n, recalling: false }, budgeted.get(name));
    }
    return work;
  }

  /** Locks and reads what the operation needs: the first thing that it does. */
  static async load(database: Database, trx: Transaction<Schema>, query: RowsQuery): Promise<UnitOfWork> {
    const work = new UnitOfWork(database);
    const { leases, balances, charges, claims } = await lockRows(database, trx, query);
    for (const { id, account_id: accountId, environment, granted, spent, recalled } of leases)
      work.#addLease(id, { account: balanceName({ accountId, environment }), granted, spent, recalled });
    for (const { account_id: accountId, environment, posted, reserved, recall, recalling, budgeted } of balances)
      work.#addBalance({ accountId, environment }, { posted, reserved, recall, recalling: Boolean(recalling) }, budgeted);
    for (const { request_id, amount, uncollected, outcome } of [...charges, ...claims])
      work.rows.charges.set(request_id, { amount, uncollected, provisional: outcome === CRASHED });
    for (const { lease_id, request_id, granted } of claims) addClaim(work.rows.claims, lease_id, request_id, granted);
    work.#claims = claims;
    return work;
  }

  /** The balances in which budgets count what is charged, and how many budgets each had been given before. */
  get budgeted(): ReadonlyMap<string, bigint> {
    const names = new Map<string, bigint>();
    for (const [name, { budgeted }] of this.#balances) if (budgeted !== 0n) names.set(name, budgeted);
    return names;
  }

  /** The requests that claim what leases give back. */
  get claimants(): readonly SelectedClaim[] {
    return this.#claims;
  }

  /** What was collected for requests that had been charged before. */
  get collectedLater(): Settled[] {
    return collectedLater(this.#claims, this.rows);
  }

  /**
   * The statements that write what has changed and renew every lease. The two rows of revenue come last, because the
   * operations of all processes meet there.
   */
  *changes({ nodeId, ttl, lowBalances }: LeaseHolder): Generator<Compilable> {
    yield* this.#leaseChanges(nodeId, ttl);
    yield* this.#balanceChanges(ttl);
    yield* this.events(lowBalances);
    yield* changeClaims(this.database, this.#claims, this.rows);
    yield* this.revenue();
  }

  /** The statements that tell of balances which are low now. */
  events(lowBalances: LowBalances | undefined): readonly Compilable[] {
    if (!lowBalances) return [];
    const charged = Array.from(this.#balances).filter(([name, { posted }]) => this.rows.balances.get(name)!.posted !== posted);
    return lowBalances.changed(charged.map(([, { accountId }]) => accountId));
  }

  /** The first statements of an optimistic operation: they lock the rows in the order in which `load` does. */
  *optimisticChanges(ttl: number): Generator<Compilable> {
    for (const id of [...this.#leases.keys()].sort()) yield this.#leaseChange(id, ttl);
    for (const name of [...this.#balances.keys()].sort()) yield* this.#balanceMove(name);
  }

  /** The last statements of an operation: they add what was collected to revenue. */
  *revenue(): Generator<Compilable> {
    for (const environment of environments) {
      const earned = this.#earned(environment);
      if (earned !== 0n) yield this.#add({ accountId: REVENUE, environment, budgeted: 0n }, earned, 0n);
    }
  }

  #addLease(id: string, lease: Lease): void {
    this.rows.leases.set(id, { ...lease });
    this.#leases.set(id, lease);
  }

  #addBalance({ accountId, environment }: BalanceKey, balance: BalanceRow, budgeted = 0n): void {
    const name = balanceName({ accountId, environment });
    this.rows.balances.set(name, { ...balance });
    this.#balances.set(name, { ...balance, accountId, environment, budgeted });
  }

  *#leaseChanges(nodeId: string, ttl: number): Generator<Compilable> {
    const expires_at = this.database.clock(ttl);
    const unchanged: string[] = [];
    for (const [id, { account, granted, spent, recalled }] of this.rows.leases) {
      const before = this.#leases.get(id);
      if (!before) {
        const { accountId: account_id, environment } = this.#balances.get(account)!;
        yield this.database.db
          .insertInto('lease')
          .values({ id, account_id, environment, node_id: nodeId, granted, spent, recalled, expires_at });
      } else if (before.granted === granted && before.spent === spent && before.recalled === recalled) unchanged.push(id);
      else yield this.#leaseChange(id, ttl);
    }
    if (unchanged.length > 0) yield this.database.db.updateTable('lease').set({ expires_at }).where('id', 'in', unchanged);
    const gone = [...this.#leases.keys()].filter((id) => !this.rows.leases.has(id));
    if (gone.length > 0) yield this.database.db.deleteFrom('lease').where('id', 'in', gone);
  }

  *#balanceChanges(ttl: number): Generator<Compilable> {
    for (const [name, { recall }] of this.rows.balances) {
      const before = this.#balances.get(name)!;
      if (recall !== before.recall)
        yield this.database.db
          .updateTable('balance')
          .set({ recall, recall_until: this.database.clock(recallWait(ttl)) })
          .where('account_id', '=', before.accountId)
          .where('environment', '=', before.environment);
      yield* this.#balanceMove(name);
    }
  }

  *#balanceMove(name: string): Generator<Compilable> {
    const { posted, reserved } = this.rows.balances.get(name)!;
    const before = this.#balances.get(name)!;
    if (posted === before.posted && reserved === before.reserved) return;
    yield this.#add(before, posted - before.posted, reserved - before.reserved);
  }

  #leaseChange(id: string, ttl: number): Compilable {
    const { granted, spent, recalled } = this.rows.leases.get(id)!;
    const { granted: wasGranted, spent: wasSpent, recalled: wasRecalled } = this.#leases.get(id)!;
    return changeLease.with(this.database, { id, granted, spent, recalled, wasGranted, wasSpent, wasRecalled, ttl: BigInt(ttl) });
  }

  #earned(environment: Environment): bigint {
    let earned = 0n;
    for (const [account, amount] of this.rows.revenue) if (this.#balances.get(account)!.environment === environment) earned += amount;
    return earned;
  }

  #add({ accountId, environment, budgeted }: BalanceKey & { budgeted: bigint }, posted: bigint, reserved: bigint): Compilable {
    return addToBalance.with(this.database, { accountId, environment, posted, reserved, budgeted });
  }
}
