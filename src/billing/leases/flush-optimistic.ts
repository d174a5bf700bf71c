import { isConstraintViolation, UnexpectedChanges } from '../../database/store-error.js';
import type { KnownBudgets } from '../budgets/known-budgets.js';
import { UnreadBudgets } from '../budgets/unread-budgets.js';
import { type Affected, chargeAll, type Flushed, settled } from './flush.js';
import type { Charged, Lease } from '../protocol/ledger-rows.js';
import type { LedgerBatch } from './ledger-batch.js';
import { type LeaseHolder, UnitOfWork } from '../protocol/unit-of-work.js';
import { advanceRequests, beginRequests, endRequests } from './usage-rows.js';

/** The store is taken to know nothing of the batch's endings yet. */
const NONE: ReadonlyMap<string, Charged> = new Map();

/**
 * Writes what most batches are, without reading anything first: endings of requests whose leases are known and pay for
 * all of it, as the shares of their budgets do. Where the store turns out to be in another state the transaction is
 * undone and the result is undefined; then the locking flush has to do it.
 * @param known this process's leases and shares as the store left them the last time
 * @param knownBudgets in which budgets the requests are known to count
 */
export async function flushOptimistic(
  known: ReadonlyMap<string, Lease>,
  { database, nodeId, ttl, lowBalances }: LeaseHolder,
  { begins, progress, endings, returns, grants, shares = [] }: LedgerBatch,
  { leaseIds, ended }: Affected,
  knownBudgets: KnownBudgets,
): Promise<Flushed | undefined> {
  const leases = those(leaseIds, known);
  const held = those(
    shares.map(({ id }) => id),
    known,
  );
  // Many leases that are only to be renewed take one statement in the locking flush, and one each here.
  const simple =
    returns.length + grants.length === 0 &&
    leases.size === leaseIds.size &&
    held.size === shares.length &&
    leases.size + held.size <= endings.length + begins.length;
  const budgets = simple ? UnreadBudgets.of(endings, knownBudgets, held) : undefined;
  if (!budgets) return undefined;
  const work = UnitOfWork.optimistic(
    database,
    leases,
    endings.map(({ request: { principal } }) => principal),
    budgets.versions,
  );
  const { rows } = work;
  chargeAll(rows, endings);
  for (const { uncollected } of rows.charges.values()) if (uncollected > 0n) return undefined;
  const ofBudgets = budgets.changes(database, ttl);
  if (!ofBudgets) return undefined;
  const begun = begins.filter(({ leaseId }) => leaseId !== undefined);
  try {
    await database.batch([
      ...work.optimisticChanges(ttl),
      ...ofBudgets,
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
  const left = held.size === 0 ? rows.leases : new Map([...rows.leases, ...budgets.shares]);
  return { leases: left, grants: new Map(), newlySettled: settled(endings, NONE, rows) };
}

function those(ids: Iterable<string>, known: ReadonlyMap<string, Lease>): Map<string, Lease> {
  const found = new Map<string, Lease>();
  for (const id of ids) {
    const lease = known.get(id);
    if (lease) found.set(id, lease);
  }
  return found;
}
