import type { Lease } from './lease-protocol.js';
import type { Ending, Progress, RequestFacts } from '../hold/request-facts.js';
import type { BalanceKey } from '../balance-key.js';
import type { Demand, Supply } from '../hold/demand.js';

/** Rows of a kind in one transaction. */
export const MAX_BATCH = 256;

/** Money of a lease that is not needed. */
export interface LeaseReturn {
  readonly leaseId: string;
  readonly account: BalanceKey;
  /** Nano-credits. */
  readonly amount: bigint;
  /** The recall that this answers, if it answers one. */
  readonly recalled?: bigint;
}

/** A request for more money on a lease. */
export interface GrantRequest {
  readonly leaseId: string;
  readonly account: BalanceKey;
  /** The store has not yet answered about this lease. */
  readonly opens: boolean;
  /** May be asked more than once. */
  readonly demand: (supply: Supply) => Demand;
}

/** What the store says to an ask. */
export interface GrantAnswer {
  /** Nano-credits that the account has in all, leased or not. */
  readonly posted: bigint;
  /** Number of the recall that was made for those who were short. */
  readonly recall: bigint | undefined;
}

/** What a process has to tell the store: one transaction, which may be repeated whole. */
export interface LedgerBatch {
  readonly begins: readonly RequestFacts[];
  readonly progress: readonly Progress[];
  readonly endings: readonly Ending[];
  readonly returns: readonly LeaseReturn[];
  readonly grants: readonly GrantRequest[];
  /** Leases to renew beside those of the above. */
  readonly renews: readonly string[];
}

export interface LedgerAnswer {
  /** What each lease of the batch is now; one that is not in here is gone. */
  readonly leases: ReadonlyMap<string, Readonly<Lease>>;
  /** By lease. */
  readonly grants: ReadonlyMap<string, GrantAnswer>;
}

/** Every lease that a batch has something about. */
export function leasesOf({ begins, endings, returns, grants, renews }: LedgerBatch): ReadonlySet<string> {
  const ids = new Set(renews);
  for (const { leaseId } of begins) if (leaseId !== undefined) ids.add(leaseId);
  for (const { request } of endings) if (request.leaseId !== undefined) ids.add(request.leaseId);
  for (const { leaseId } of [...returns, ...grants]) ids.add(leaseId);
  return ids;
}
