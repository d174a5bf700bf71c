import type { Principal } from '../../auth/principal.js';
import type { Database } from '../../database/database.js';
import { type Books, charge, type Charged } from './lease-protocol.js';
import type { LedgerAnswer } from './ledger-batch.js';
import { CRASHED, type Ending } from '../hold/request-facts.js';
import { balanceName } from '../balance-key.js';

/** Whose leases a flush is about, and where they are kept. */
export interface Holder {
  readonly database: Database;
  readonly nodeId: string;
  /** Milliseconds until a lease runs out that nobody renews. */
  readonly ttl: number;
}

/** What both ways of a flush are given beside the batch. */
export interface Touched {
  readonly leaseIds: ReadonlySet<string>;
  /** Ids of ended requests that the store may have in flight. */
  readonly ended: readonly string[];
}

export interface Flushed extends LedgerAnswer {
  readonly fresh: readonly Settled[];
}

export interface Settled {
  readonly principal: Principal;
  /** Nano-credits. */
  readonly uncollected: bigint;
  /** Nobody had settled it before, not even by a guess. */
  readonly first: boolean;
}

export function chargeAll(books: Books, endings: readonly Ending[]): void {
  for (const { request, charge: due, outcome } of endings) {
    const { requestId, principal, leaseId } = request;
    charge(books, { requestId, account: balanceName(principal), leaseId, amount: due.amount, provisional: outcome === CRASHED });
  }
}

/** Those of the endings that the store did not know, or knew otherwise. */
export function settled(endings: readonly Ending[], before: ReadonlyMap<string, Charged>, { charges }: Books): Settled[] {
  return endings.flatMap(({ request: { requestId, principal } }) => {
    const [was, is] = [before.get(requestId), charges.get(requestId)];
    return is && is !== was ? [{ principal, uncollected: is.uncollected, first: was === undefined }] : [];
  });
}
