import { isConstraintViolation, UnexpectedChanges } from '../../database/store-error.js';
import { balanceName } from '../balance-key.js';
import { type Affected, chargeAll, type Flushed, type LeaseHolder, settled } from './flush.js';
import type { Charged, Lease } from './ledger-rows.js';
import type { LedgerBatch } from './ledger-batch.js';
import { UnitOfWork } from './unit-of-work.js';
import { advanceRequests, beginRequests, endRequests } from './usage-rows.js';

const NO_BALANCES: ReadonlySet<string> = new Set();

/** The store is taken to know nothing of the batch's endings yet. */
const NONE: ReadonlyMap<string, Charged> = new Map();

/**
 * Writes what most batches are, without reading anything first: endings of requests whose leases are known and pay for
 * all of it, and in which no budget counts. Where the store turns out to be in another state the transaction is undone
 * and the result is undefined; then the locking flush has to do it.
 * @param known this process's leases as the store left them the last time
 * @param budgeted balances in which budgets are known to count
 */
export async function flushOptimistic(
  known: ReadonlyMap<string, Lease>,
  { database, nodeId, ttl, lowBalances }: LeaseHolder,
  { begins, progress, endings, returns, grants, shares = [] }: LedgerBatch,
  { leaseIds, ended }: Affected,
  budgeted: ReadonlySet<string>,
): Promise<Flushed | undefined> {
  const leases = new Map<string, Lease>();
  for (const id of leaseIds) {
    const lease = known.get(id);
    if (lease) leases.set(id, lease);
  }
  // Many leases that are only to be renewed take one statement in the locking flush, and one each here.
  const simple =
    returns.length + grants.length + shares.length === 0 && leases.size === leaseIds.size && leases.size <= endings.length + begins.length;
  if (!simple) return undefined;
  if (budgeted.size > 0 && endings.some(({ request: { principal } }) => budgeted.has(balanceName(principal)))) return undefined;
  const work = UnitOfWork.optimistic(
    database,
    leases,
    endings.map(({ request: { principal } }) => principal),
  );
  const { rows } = work;
  chargeAll(rows, endings);
  for (const { uncollected } of rows.charges.values()) if (uncollected > 0n) return undefined;
  const begun = begins.filter(({ leaseId }) => leaseId !== undefined);
  try {
    await database.batch([
      ...work.optimisticChanges(ttl),
      ...endRequests(database, endings, ended, NONE, rows),
      ...beginRequests(database, begun, nodeId),
      ...advanceRequests(database, progress),
      ...work.events(lowBalances),
      ...work.revenue(),
    ]);
  } catch (error) {
    if (error instanceof UnexpectedChanges || isConstraintViolation(error)) return undefined;
    throw error;
  }
  return { leases: rows.leases, grants: new Map(), newlySettled: settled(endings, NONE, rows), budgeted: NO_BALANCES };
}
