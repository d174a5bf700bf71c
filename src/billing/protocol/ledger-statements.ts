import { type Compilable, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Environment } from '../../auth/principal.js';
import type { Database } from '../../database/database.js';
import { jsonTexts } from '../../database/json-rows.js';
import { PreparedQuery } from '../../database/prepared-query.js';
import { runBatch } from '../../database/run-batch.js';
import type { Schema } from '../../database/schema.js';
import type { BalanceKey } from '../balance-key.js';
import type { LeaseAmounts } from '../hold/purse.js';

/** Which rows an operation needs. */
export interface RowsQuery {
  readonly leaseIds: readonly string[];
  readonly accountIds: readonly string[];
  readonly requestIds: readonly string[];
  /** Leases that give money back, for which requests may claim it. */
  readonly returning: readonly string[];
}

interface SelectedRows {
  readonly leases: readonly SelectedLease[];
  readonly balances: readonly SelectedBalance[];
  readonly charges: readonly SelectedCharge[];
  /** In the order in which the requests came. */
  readonly claims: readonly SelectedClaim[];
}

interface SelectedLease extends LeaseAmounts {
  id: string;
  account_id: string;
  environment: Environment;
}

interface SelectedBalance {
  account_id: string;
  environment: Environment;
  posted: bigint;
  reserved: bigint;
  recall: bigint;
  /** A truth value in the engine's own form. */
  recalling: unknown;
  /** How many budgets it was given, which count what is charged. */
  budgeted: bigint;
}

interface SelectedCharge {
  request_id: string;
  amount: bigint;
  uncollected: bigint;
  outcome: string;
}

/** A claim, with the request that makes it. */
export interface SelectedClaim extends SelectedCharge {
  lease_id: string;
  granted: bigint;
  account_id: string;
  environment: Environment;
  key_id: string;
  hold: bigint;
}

/**
 * Locks lease rows, then balances, each in the order of their ids. Every operation locks in this order, so that two of
 * them never wait for each other in a circle.
 */
export async function lockRows(
  database: Database,
  trx: Transaction<Schema>,
  { leaseIds, accountIds, requestIds, returning }: RowsQuery,
): Promise<SelectedRows> {
  const leases = trx
    .selectFrom('lease')
    .select(['id', 'account_id', 'environment', 'granted', 'spent', 'recalled'])
    .where('id', 'in', leaseIds)
    .orderBy('id');
  const balances = trx
    .selectFrom('balance')
    .select(['account_id', 'environment', 'posted', 'reserved', 'recall', recalling(database).as('recalling'), 'budgeted'])
    .where('account_id', 'in', accountIds)
    .orderBy(inByteOrder(database, 'account_id'))
    .orderBy('environment');
  const charges = trx
    .selectFrom('usage')
    .select(['request_id', 'amount', 'uncollected', 'outcome'])
    .where('request_id', 'in', jsonTexts(database.engine, JSON.stringify(requestIds)));
  const claims = trx
    .selectFrom('claim')
    .innerJoin('usage', 'usage.request_id', 'claim.request_id')
    .select(['lease_id', 'granted', 'claim.request_id', 'account_id', 'environment', 'key_id'])
    .select(['hold', 'amount', 'uncollected', 'outcome'])
    .where('lease_id', 'in', returning)
    .orderBy('claim.request_id');
  const [lockedLeases, lockedBalances, found, claimed] = await read(trx, [
    leaseIds.length > 0 && database.forUpdate(leases),
    accountIds.length > 0 && database.forUpdate(balances),
    requestIds.length > 0 && charges,
    returning.length > 0 && claims,
  ]);
  return {
    leases: lockedLeases as SelectedLease[],
    balances: lockedBalances as SelectedBalance[],
    charges: found as SelectedCharge[],
    claims: claimed as SelectedClaim[],
  };
}

async function read(trx: Transaction<Schema>, queries: readonly (Compilable | false)[]): Promise<unknown[][]> {
  const results = await runBatch(
    trx,
    queries.filter((query) => query !== false),
  );
  let next = 0;
  return queries.map((query) => (query === false ? [] : results[next++]!.rows));
}

/** JavaScript's order of ids: PostgreSQL's own depends on its locale. */
function inByteOrder({ engine }: Database, column: 'account_id'): RawBuilder<string> {
  return engine === 'postgres' ? sql`${sql.ref(column)} collate "C"` : sql.ref(column);
}

/** Of a balance: a request may wait for the answers to its last recall. */
export function recalling(database: Database): RawBuilder<boolean> {
  return sql<boolean>`recall_until > ${database.clock()}`;
}

interface LeaseChange extends LeaseAmounts {
  readonly id: string;
  readonly wasGranted: bigint;
  readonly wasSpent: bigint;
  readonly wasRecalled: bigint;
  /** Milliseconds. */
  readonly ttl: bigint;
}

/** Changes and renews a lease. The statement fails where the row is not what it was taken for. */
export const changeLease = new PreparedQuery<LeaseChange>(
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

/** Adds to a balance, whatever it is. The statement fails where it was given other budgets than are known. */
export const addToBalance = new PreparedQuery<BalanceKey & Record<'posted' | 'reserved' | 'budgeted', bigint>>(
  ({ db }, { accountId, environment, posted, reserved, budgeted }) =>
    db
      .updateTable('balance')
      .set((update) => ({ posted: update('posted', '+', posted), reserved: update('reserved', '+', reserved) }))
      .where('account_id', '=', accountId)
      .where('environment', '=', environment)
      .where('budgeted', '=', budgeted),
  1,
);
