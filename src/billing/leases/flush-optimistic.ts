import { isConstraintViolation, UnexpectedChanges } from '../../database/store-error.js';
import { chargeAll, type Flushed, type Holder, settled, type Touched } from './flush.js';
import type { Charged, Lease } from './lease-protocol.js';
import type { LedgerBatch } from './ledger-batch.js';
import { StoredBooks } from './stored-books.js';
import { advanceRequests, beginRequests, endRequests } from './usage-rows.js';

/** Before a batch nothing of its endings is in the store. */
const NONE: ReadonlyMap<string, Charged> = new Map();

/**
 * What most batches are, without reading anything first: ends of requests whose leases are known and pay for all of it. Answers nothing, and has
 * done nothing, where the store does not know it so.
 * @param known this process's leases as the store left them the last time
 */
export async function flushOptimistic(
  known: ReadonlyMap<string, Lease>,
  { database, nodeId, ttl }: Holder,
  { begins, progress, endings, gives, asks }: LedgerBatch,
  { leaseIds, ended }: Touched,
): Promise<Flushed | undefined> {
  const leases = new Map<string, Lease>();
  for (const id of leaseIds) {
    const lease = known.get(id);
    if (lease) leases.set(id, lease);
  }
  // Leases that are only to be renewed are told of in one statement where they are read.
  const simple = gives.length + asks.length === 0 && leases.size === leaseIds.size && leases.size <= endings.length + begins.length;
  if (!simple) return undefined;
  const stored = StoredBooks.optimistic(
    database,
    leases,
    endings.map(({ request: { principal } }) => principal),
  );
  const { books } = stored;
  chargeAll(books, endings);
  for (const { uncollected } of books.charges.values()) if (uncollected > 0n) return undefined;
  try {
    await database.batch([
      ...stored.optimisticChanges(ttl),
      ...endRequests(database, endings, ended, NONE, books),
      ...beginRequests(
        database,
        begins.filter(({ leaseId }) => leaseId !== undefined),
        nodeId,
      ),
      ...advanceRequests(database, progress),
      ...stored.revenue(),
    ]);
  } catch (error) {
    if (error instanceof UnexpectedChanges || isConstraintViolation(error)) return undefined;
    throw error;
  }
  return { leases: books.leases, asks: new Map(), fresh: settled(endings, NONE, books) };
}
