import type { Compilable } from 'kysely';
import type { Database } from '../../database/database.js';
import { RowsInsert } from '../../database/insert-rows.js';
import { type JsonColumns, jsonRow } from '../../database/json-rows.js';
import { beyondHold } from './lease-protocol.js';
import type { LedgerRows, Settled } from './ledger-rows.js';
import type { SelectedClaim } from './ledger-statements.js';

const claimColumns = { lease_id: 'text', request_id: 'text', granted: 'int' } as const satisfies JsonColumns;

const insertClaims = new RowsInsert('claim', claimColumns, { unlessThere: true });

/**
 * The statements that write which claims are left and which were made, and what was collected for them.
 * @param read all claims of the leases that gave money back
 */
export function* changeClaims(database: Database, read: readonly SelectedClaim[], rows: LedgerRows): Generator<Compilable> {
  const leaseIds = [...new Set(read.map(({ lease_id }) => lease_id))];
  if (leaseIds.length > 0) yield database.db.deleteFrom('claim').where('lease_id', 'in', leaseIds);
  const left = Array.from(rows.claims).flatMap(([leaseId, ofLease]) =>
    Array.from(ofLease, ([requestId, granted]) => jsonRow([leaseId, requestId, granted])),
  );
  if (left.length > 0) yield insertClaims.of(database, left);
  for (const { request_id, hold } of collectedFor(read, rows)) {
    const charged = rows.charges.get(request_id)!;
    yield database.db
      .updateTable('usage')
      .set({ amount: charged.amount, collected: beyondHold(charged, hold), uncollected: charged.uncollected })
      .where('request_id', '=', request_id);
  }
}

/** What was collected for requests that had been charged before. */
export function collectedLater(read: readonly SelectedClaim[], rows: LedgerRows): Settled[] {
  return collectedFor(read, rows).map(({ request_id, environment, hold, amount }) => {
    const collected = beyondHold(rows.charges.get(request_id)!, hold) - beyondHold({ amount }, hold);
    return { environment, collected, uncollected: 0n, first: false };
  });
}

/** One claim of each request that has paid more than when it was read. */
function collectedFor(read: readonly SelectedClaim[], { charges }: LedgerRows): SelectedClaim[] {
  const changed = read.filter(({ request_id, amount }) => charges.get(request_id)!.amount !== amount);
  return [...new Map(changed.map((claim) => [claim.request_id, claim])).values()];
}
