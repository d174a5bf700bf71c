import { type Compilable, type RawBuilder, sql, type Transaction } from 'kysely';
import { type Environment, environments } from '../../auth/principal.js';
import { type BalanceKey, balanceName } from '../balance-key.js';
import type { LeaseAmounts } from '../hold/purse.js';
import type { Database } from '../../database/database.js';
import { jsonTexts } from '../../database/json-rows.js';
import { PreparedQuery } from '../../database/prepared-query.js';
import { runBatch } from '../../database/run-batch.js';
import type { Schema } from '../../database/schema.js';
import type { Balance, Books, Charged, Lease } from './lease-protocol.js';
import { recallWait } from './lease-timing.js';
import { CRASHED } from '../hold/request-facts.js';
import { REVENUE } from '../system-accounts.js';

/** Which rows an operation will need. */
export interface BooksQuery {
  readonly leaseIds: Iterable<string>;
  /** Balances beside those of the leases. */
  readonly accountIds: Iterable<string>;
  readonly requestIds: readonly string[];
}

interface LeaseChange extends LeaseAmounts {
  readonly id: string;
  readonly wasGranted: bigint;
  readonly wasSpent: bigint;
  readonly wasRecalled: bigint;
  /** Milliseconds. */
  readonly ttl: bigint;
}

/** Fails where the row is not what it was taken for. */
const changeLease = new PreparedQuery<LeaseChange>(
  (database, { id, granted, spent, recalled, wasGranted, wasSpent, wasRecalled, ttl }) =>
    database.db
      .updateTable('lease')
      .set({ granted, spent, recalled, expires_at: sql<bigint>`${database.clock()} + ${ttl}` })
      .where('id', '=', id)
      .where('granted', '=', wasGranted)
      .where('spent', '=', wasSpent)
      .where('recalled', '=', wasRecalled),
  1,
);

const moveMoney = new PreparedQuery<BalanceKey & Record<'posted' | 'reserved', bigint>>(
  ({ db }, { accountId, environment, posted, reserved }) =>
    db
      .updateTable('balance')
      .set((update) => ({ posted: update('posted', '+', posted), reserved: update('reserved', '+', reserved) }))
      .where('account_id', '=', accountId)
      .where('environment', '=', environment),
  1,
);

/** The rows of one operation of the ledger: locked, read, changed by the protocol, written back. */
export class StoredBooks {
  readonly books: Books = { balances: new Map(), leases: new Map(), charges: new Map(), revenue: new Map() };
  readonly #balances = new Map<string, Balance & BalanceKey>();
  readonly #leases = new Map<string, Lease>();

  private constructor(private readonly database: Database) {}

  /**
   * Nothing is read: leases are taken for what this process was last told of them, which each change makes sure of. Of the balances nothing is known,
   * and nothing can be had from them. Answers for ends whose requests are charged out of their leases in full.
   */
  static optimistic(database: Database, leases: Iterable<readonly [string, Lease]>, balances: Iterable<BalanceKey>): StoredBooks {
    const stored = new StoredBooks(database);
    for (const [id, lease] of leases) {
      stored.books.leases.set(id, { ...lease });
      stored.#leases.set(id, lease);
    }
    for (const key of balances) {
      const name = balanceName(key);
      if (!stored.#balances.has(name)) stored.#setBalance(name, key, { posted: 0n, reserved: 0n, recall: 0n, recalling: false });
    }
    return stored;
  }

  /** Locks lease rows, then balances, each in the order of their ids: what every operation does first, so that none waits for another in a ring. */
  static async load(database: Database, trx: Transaction<Schema>, query: BooksQuery): Promise<StoredBooks> {
    const stored = new StoredBooks(database);
    const leaseIds = [...new Set(query.leaseIds)];
    const accountIds = [...new Set(query.accountIds)];
    const [leases, balances, charges] = await read(trx, [
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
            .orderBy(inByteOrder(database, 'account_id'))
            .orderBy('environment'),
        ),
      query.requestIds.length > 0 &&
        trx
          .selectFrom('usage')
          .select(['request_id', 'amount', 'uncollected', 'outcome'])
          .where('request_id', 'in', jsonTexts(database.engine, JSON.stringify(query.requestIds))),
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
    yield* this.revenue();
  }

  /** Of optimistic books, what comes before all else: the rows are locked by it, in the order in which `load` does. */
  *optimisticChanges(ttl: number): Generator<Compilable> {
    for (const id of [...this.#leases.keys()].sort()) yield this.#leaseChange(id, ttl);
    for (const name of [...this.#balances.keys()].sort()) yield* this.#balanceMove(name);
  }

  /** What has come in; for the end of a transaction. */
  *revenue(): Generator<Compilable> {
    for (const environment of environments) {
      const earned = this.#earned(environment);
      if (earned !== 0n) yield this.#move({ accountId: REVENUE, environment }, earned, 0n);
    }
  }

  #addLease({ id, account_id: accountId, environment, granted, spent, recalled }: LeaseRow): void {
    const lease = { account: balanceName({ accountId, environment }), granted, spent, recalled };
    this.books.leases.set(id, { ...lease });
    this.#leases.set(id, lease);
  }

  #addBalance({ account_id: accountId, environment, posted, reserved, recall, recalling: waits }: BalanceRow): void {
    const name = balanceName({ accountId, environment });
    this.#setBalance(name, { accountId, environment }, { posted, reserved, recall, recalling: Boolean(waits) });
  }

  #setBalance(name: string, { accountId, environment }: BalanceKey, balance: Balance): void {
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
        yield this.database.db
          .insertInto('lease')
          .values({ id, account_id, environment, node_id: nodeId, granted, spent, recalled, expires_at });
      } else if (before.granted === granted && before.spent === spent && before.recalled === recalled) unchanged.push(id);
      else yield this.#leaseChange(id, ttl);
    }
    if (unchanged.length > 0) yield this.database.db.updateTable('lease').set({ expires_at }).where('id', 'in', unchanged);
    const gone = [...this.#leases.keys()].filter((id) => !this.books.leases.has(id));
    if (gone.length > 0) yield this.database.db.deleteFrom('lease').where('id', 'in', gone);
  }

  *#balanceChanges(ttl: number): Generator<Compilable> {
    for (const [name, { recall }] of this.books.balances) {
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
    const { posted, reserved } = this.books.balances.get(name)!;
    const before = this.#balances.get(name)!;
    if (posted === before.posted && reserved === before.reserved) return;
    yield this.#move(before, posted - before.posted, reserved - before.reserved);
  }

  #leaseChange(id: string, ttl: number): Compilable {
    const { granted, spent, recalled } = this.books.leases.get(id)!;
    const { granted: wasGranted, spent: wasSpent, recalled: wasRecalled } = this.#leases.get(id)!;
    return changeLease.with(this.database, { id, granted, spent, recalled, wasGranted, wasSpent, wasRecalled, ttl: BigInt(ttl) });
  }

  #earned(environment: Environment): bigint {
    let earned = 0n;
    for (const [account, amount] of this.books.revenue) if (this.#balances.get(account)!.environment === environment) earned += amount;
    return earned;
  }

  #move({ accountId, environment }: BalanceKey, posted: bigint, reserved: bigint): Compilable {
    return moveMoney.with(this.database, { accountId, environment, posted, reserved });
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

async function read(trx: Transaction<Schema>, queries: readonly (Compilable | false)[]): Promise<unknown[][]> {
  const results = await runBatch(
    trx,
    queries.filter((query) => query !== false),
  );
  let next = 0;
  return queries.map((query) => (query === false ? [] : results[next++]!.rows));
}

/** The order of texts that this program has, too. */
function inByteOrder({ engine }: Database, column: 'account_id'): RawBuilder<string> {
  return engine === 'postgres' ? sql`${sql.ref(column)} collate "C"` : sql.ref(column);
}

/** Of a balance: a request may wait for the answers to its last recall. */
export function recalling(database: Database): RawBuilder<boolean> {
  return sql<boolean>`recall_until > ${database.clock()}`;
}
