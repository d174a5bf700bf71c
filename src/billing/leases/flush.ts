import type { Principal } from '../../auth/principal.js';
import type { Database } from '../../database/database.js';
import { balanceName } from '../balance-key.js';
import { CRASHED, type Ending } from '../hold/request-facts.js';
import { charge, type Charged, type LedgerRows } from './lease-protocol.js';
import type { LedgerAnswer } from './ledger-batch.js';

/** The process whose leases a flush is about, and the store that keeps them. */
export interface LeaseHolder {
  readonly database: Database;
  readonly nodeId: string;
  /** Milliseconds until a lease runs out that nobody renews. */
  readonly ttl: number;
}

/** Rows that a batch is about, beside what it says itself. */
export interface Affected {
  readonly leaseIds: ReadonlySet<string>;
  /** Ids of ended requests that the store may have in flight. */
  readonly ended: readonly string[];
}

export interface Flushed extends LedgerAnswer {
  readonly newlySettled: readonly Settled[];
}

export interface Settled {
  readonly principal: Principal;
  /** Nano-credits. */
  readonly uncollected: bigint;
  /** False where it was charged before at an estimate, which this corrects. */
  readonly first: boolean;
}

export function chargeAll(rows: LedgerRows, endings: readonly Ending[]): void {
  for (const { request, charge: due, outcome } of endings) {
    const { requestId, principal, leaseId } = request;
    charge(rows, { requestId, account: balanceName(principal), leaseId, amount: due.amount, provisional: outcome === CRASHED });
  }
}

/** The endings that have changed what the store says of their requests. */
export function settled(endings: readonly Ending[], before: ReadonlyMap<string, Charged>, { charges }: LedgerRows): Settled[] {
  return endings.flatMap(({ request: { requestId, principal } }) => {
    const [was, is] = [before.get(requestId), charges.get(requestId)];
    return is && is !== was ? [{ principal, uncollected: is.uncollected, first: was === undefined }] : [];
  });
}
