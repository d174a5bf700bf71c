import type { BalanceKey } from '../balance-key.js';
import type { Demand, Supply } from '../hold/demand.js';
import type { Progress, RequestFacts, WrittenEnding } from '../hold/request-facts.js';
import type { Lease } from './ledger-rows.js';

/** Rows of a kind in one transaction. */
export const MAX_BATCH = 256;

/** Money of a lease that goes back to its account. */
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
  /** Says what is wanted of a supply. It is called within the transaction, more than once if need be. */
  readonly demand: (supply: Supply) => Demand;
}

/** What the store answers to a grant request. */
export interface GrantAnswer {
  /** Nano-credits that the account has in all, leased or not. */
  readonly posted: bigint;
  /** Number of the recall that was made for it. */
  readonly recall: bigint | undefined;
}

/** What a process has to tell the store: one transaction, which may be repeated as a whole. */
export interface LedgerBatch {
  readonly begins: readonly RequestFacts[];
  readonly progress: readonly Progress[];
  readonly endings: readonly WrittenEnding[];
  readonly returns: readonly LeaseReturn[];
  readonly grants: readonly GrantRequest[];
  /** Leases to renew beside those of the above. */
  readonly renews: readonly string[];
}

export interface LedgerAnswer {
  /** Each lease of the batch as it is now; one that is missing here is gone. */
  readonly leases: ReadonlyMap<string, Readonly<Lease>>;
  /** By lease. */
  readonly grants: ReadonlyMap<string, GrantAnswer>;
}

/** Ids of all leases that a batch is about. */
export function leasesOf({ begins, endings, returns, grants, renews }: LedgerBatch): ReadonlySet<string> {
  const ids = new Set(renews);
  for (const { leaseId } of begins) if (leaseId !== undefined) ids.add(leaseId);
  for (const { request } of endings) if (request.leaseId !== undefined) ids.add(request.leaseId);
  for (const { leaseId } of [...returns, ...grants]) ids.add(leaseId);
  return ids;
}
