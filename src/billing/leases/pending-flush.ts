import type { HeldLease } from '../hold/held-lease.js';
import type { LeasedHold } from '../hold/leased-hold.js';
import type { Progress, WrittenEnding } from '../hold/request-facts.js';
import type { Shares } from '../hold/shares.js';
import type { Wallet } from '../hold/wallet.js';
import type { GrantRequest, LeaseReturn, LedgerBatch } from './ledger-batch.js';

/** A request that has ended, without what it was: many wait at a time, and each garbage collection copies them. */
export interface Finished {
  /** The request's name in the journal. */
  readonly number: number;
  /** Absent where nothing was held. */
  readonly lease: HeldLease | undefined;
  /** Absent where no budget limits the request. */
  readonly shares: Shares | undefined;
  readonly ending: WrittenEnding;
}

export interface Asking {
  readonly wallet: Wallet;
  readonly lease: HeldLease;
}

/** What one transaction is about. */
interface FlushParts {
  readonly finished: readonly Finished[];
  readonly begun: readonly LeasedHold[];
  readonly advanced: readonly LeasedHold[];
  readonly asking: readonly Asking[];
  readonly returns: readonly LeaseReturn[];
  /** Every lease that the store will answer about. */
  readonly leases: ReadonlySet<HeldLease>;
}

/** A transaction that the store has not confirmed yet, and those on whose behalf it is made. */
export interface PendingFlush extends FlushParts {
  readonly batch: LedgerBatch;
  readonly empty: boolean;
}

export function pendingFlush(parts: FlushParts): PendingFlush {
  const { finished, begun, advanced, asking, returns, leases } = parts;
  const all = [...leases];
  const batch: LedgerBatch = {
    begins: begun.map(({ facts }) => facts),
    progress: advanced.map(({ request, price, delivered }): Progress => ({ requestId: request.requestId, price, ...delivered })),
    endings: finished.map(({ ending }) => ending),
    returns,
    grants: asking.map(({ wallet, lease }): GrantRequest => ({
      leaseId: lease.id,
      account: lease.account,
      opens: !lease.opened,
      period: wallet.budget,
      demand: (supply) => wallet.demand(supply),
      refuses: (posted) => wallet.refuses(posted),
    })),
    renews: all.flatMap(({ id, account }) => (account.budget === undefined ? id : [])),
    shares: all.filter(({ account }) => account.budget !== undefined),
  };
  return { ...parts, batch, empty: finished.length + begun.length + advanced.length + leases.size === 0 };
}
