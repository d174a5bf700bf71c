import { type Compilable, type RawBuilder, sql, type Transaction } from 'kysely';
import { type Environment, environments } from '../auth/principal.js';
import type { Database } from '../database/database.js';
import { jsonTexts } from '../database/json-rows.js';
import { runBatch } from '../database/run-batch.js';
import type { Schema } from '../database/schema.js';
import type { Balance, Books, Charged, Lease } from './lease-protocol.js';
import { CRASHED } from './request-facts.js';
import { REVENUE } from './system-accounts.js';

/**
 * Milliseconds for which a request waits for the answers to its recall.
 * @param ttl of a lease
 */
export function recallWait(ttl: number): number {
  return Math.ceil(ttl / 10);
}

/** An account's balance in one environment. */
export interface BalanceKey {
  readonly accountId: string;
  readonly environment: Environment;
}

export function balanceName({ accountId, environment }: BalanceKey): string {
  return `${accountId} ${environment}`;
}

/** Which rows an operation will need. */
export interface BooksQuery {
  readonly leaseIds: Iterable<string>;
  /** Balances beside those of the leases. */
  readonly accountIds: Iterable<string>;
  readonly requestIds: readonly string[];
}

/** The rows of one operation of the ledger: locked, read, changed by the protocol, written back. */
export class StoredBooks {
  readonly books: Books = { balances: new Map(), leases: new Map(), charges: new Map(), revenue: new Map() };
  readonly #balances = new Map<string, Balance & BalanceKey>();
  readonly #leases = new Map<string, Lease>();

  private constructor(
    private readonly database: Database,
    private readonly trx: Transaction<Schema>,
  ) {}

  /** Locks lease rows, then balances, each in the order of their ids: what every operation does first, so that none waits for another in a ring. */
  static async load(database: Database, trx: Transaction<Schema>, query: BooksQuery): Promise<StoredBooks> {
    const stored = new StoredBooks(database, trx);
    const leaseIds = [...new Set(query.leaseIds)];
    const accountIds = [...new Set(query.accountIds)];
    const [leases, balances, charges] = await stored.#read([
      leaseIds.length > 0 &&
        database.forUpdate(
          trx
            .selectFrom('lease')
            .select(['id', 'account_id', 'environment', 'granted', 'spent', 'recalled'])
            .where('id', 'in', leaseIds)
            .orderBy('id'),
        ),
      accountIds.length > 0 &&
        database.forUpdate(
          trx
            .selectFrom('balance')
            .select(['account_id', 'environment', 'posted', 'reserved', 'recall', recalling(database).as('recalling')])
            .where('account_id', 'in', accountIds)
            .orderBy('account_id')
            .orderBy('environment'),
        ),
      query.requestIds.length > 0 &&
        trx
          .selectFrom('usage')
          .select(['request_id', 'amount', 'uncollected', 'outcome'])
          .where('request_id', 'in', jsonTexts(database.engine, query.requestIds)),
    ]);
    for (const row of leases as LeaseRow[]) stored.#addLease(row);
    for (const row of balances as BalanceRow[]) stored.#addBalance(row);
    for (const { request_id, amount, uncollected, outcome } of charges as (Charged & { request_id: string; outcome: string })[])
      stored.books.charges.set(request_id, { amount, uncollected, provisional: outcome === CRASHED });
    return stored;
  }

  /**
   * What has changed, in statements, and every lease renewed; the two rows of revenue last, because every process's operations meet
   * there.
   * @param ttl milliseconds until the leases run out
   */
  *changes(nodeId: string, ttl: number): Generator<Compilable> {
    yield* this.#leaseChanges(nodeId, ttl);
    yield* this.#balanceChanges(ttl);
    for (const environment of environments) {
      const earned = this.#earned(environment);
      if (earned !== 0n) yield this.#move({ accountId: REVENUE, environment }, earned, 0n);
    }
  }

  async #read(queries: readonly (Compilable | false)[]): Promise<unknown[][]> {
    const results = await runBatch(
      this.trx,
      queries.filter((query) => query !== false),
    );
    let next = 0;
    return queries.map((query) => (query === false ? [] : results[next++]!.rows));
  }

  #addLease({ id, account_id: accountId, environment, granted, spent, recalled }: LeaseRow): void {
    const lease = { account: balanceName({ accountId, environment }), granted, spent, recalled };
    this.books.leases.set(id, { ...lease });
    this.#leases.set(id, lease);
  }

  #addBalance({ account_id: accountId, environment, posted, reserved, recall, recalling: waits }: BalanceRow): void {
    const name = balanceName({ accountId, environment });
    const balance = { posted, reserved, recall, recalling: Boolean(waits) };
    this.books.balances.set(name, { ...balance });
    this.#balances.set(name, { ...balance, accountId, environment });
  }

  *#leaseChanges(nodeId: string, ttl: number): Generator<Compilable> {
    const expires_at = this.database.clock(ttl);
    const unchanged: string[] = [];
    for (const [id, { account, granted, spent, recalled }] of this.books.leases) {
      const before = this.#leases.get(id);
      if (!before) {
        const { accountId: account_id, environment } = this.#balances.get(account)!;
        yield this.trx.insertInto('lease').values({ id, account_id, environment, node_id: nodeId, granted, spent, recalled, expires_at });
      } else if (before.granted === granted && before.spent === spent && before.recalled === recalled) unchanged.push(id);
      else yield this.trx.updateTable('lease').set({ granted, spent, recalled, expires_at }).where('id', '=', id);
    }
    if (unchanged.length > 0) yield this.trx.updateTable('lease').set({ expires_at }).where('id', 'in', unchanged);
    const gone = [...this.#leases.keys()].filter((id) => !this.books.leases.has(id));
    if (gone.length > 0) yield this.trx.deleteFrom('lease').where('id', 'in', gone);
  }

  *#balanceChanges(ttl: number): Generator<Compilable> {
    for (const [name, { posted, reserved, recall }] of this.books.balances) {
      const before = this.#balances.get(name)!;
      if (recall !== before.recall)
        yield this.trx
          .updateTable('balance')
          .set({ recall, recall_until: this.database.clock(recallWait(ttl)) })
          .where('account_id', '=', before.accountId)
          .where('environment', '=', before.environment);
      if (posted === before.posted && reserved === before.reserved) continue;
      yield this.#move(before, posted - before.posted, reserved - before.reserved);
    }
  }

  #earned(environment: Environment): bigint {
    let earned = 0n;
    for (const [account, amount] of this.books.revenue) if (this.#balances.get(account)!.environment === environment) earned += amount;
    return earned;
  }

  #move({ accountId, environment }: BalanceKey, posted: bigint, reserved: bigint): Compilable {
    return this.trx
      .updateTable('balance')
      .set((update) => ({ posted: update('posted', '+', posted), reserved: update('reserved', '+', reserved) }))
      .where('account_id', '=', accountId)
      .where('environment', '=', environment);
  }
}

interface LeaseRow {
  id: string;
  account_id: string;
  environment: Environment;
  granted: bigint;
  spent: bigint;
  recalled: bigint;
}

interface BalanceRow {
  account_id: string;
  environment: Environment;
  posted: bigint;
  reserved: bigint;
  recall: bigint;
  /** A truth value in the engine's own form. */
  recalling: unknown;
}

/** Of a balance: a request may wait for the answers to its last recall. */
export function recalling(database: Database): RawBuilder<boolean> {
  return sql<boolean>`recall_until > ${database.clock()}`;
}
