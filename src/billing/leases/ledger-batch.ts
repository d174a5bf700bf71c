import type { BalanceKey } from '../balance-key.js';
import type { BudgetPeriod } from '../hold/budget-period.js';
import type { Demand, Supply } from '../hold/demand.js';
import type { Progress, RequestFacts, WrittenEnding } from '../hold/request-facts.js';
import type { Lease } from '../protocol/ledger-rows.js';

/** Rows of a kind in one transaction. */
export const MAX_BATCH = 256;

/** Money of a lease that goes back to its account, or of a share that goes back to its budget. */
export interface LeaseReturn {
  readonly leaseId: string;
  readonly account: BalanceKey;
  /** Nano-credits. */
  readonly amount: bigint;
  /** The recall that this answers, if it answers one. */
  readonly recalled?: bigint;
}

/** A request for more money on a lease, or on a share of a budget. */
export interface GrantRequest {
  readonly leaseId: string;
  readonly account: BalanceKey;
  /** The store has not yet answered about this lease. */
  readonly opens: boolean;
  /** The budget, with its limit; absent for a lease. */
  readonly period?: BudgetPeriod | undefined;
  /** Says what is wanted of a supply. It is called within the transaction, more than once if need be. */
  readonly demand: (supply: Supply) => Demand;
  /**
   * Whether a request will be refused because so little of the budget is left, though all of it could have paid. It is
   * called within the transaction, after `demand`; absent for a lease.
   */
  readonly refuses?: ((posted: bigint) => boolean) | undefined;
}

/** What the store answers to a grant request. */
export interface GrantAnswer {
  /** Nano-credits that the account has in all, leased or not; of a budget what is not spent. */
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
  /** Shares of budgets to renew, those of the above included; absent: none. */
  readonly shares?: readonly { readonly id: string; readonly account: BalanceKey }[] | undefined;
  /** The dead process whose journal this is from; absent: it is this process's own. */
  readonly deadNode?: string | undefined;
}

export interface LedgerAnswer {
  /** Each lease and share of the batch as it is now; one that is missing here is gone. */
  readonly leases: ReadonlyMap<string, Readonly<Lease>>;
  /** By lease. */
  readonly grants: ReadonlyMap<string, GrantAnswer>;
}

/** Ids of all leases that a batch is about, without shares of budgets. */
export function leasesOf({ begins, endings, returns, grants, renews }: LedgerBatch): ReadonlySet<string> {
  const ids = new Set(renews);
  for (const { leaseId } of begins) if (leaseId !== undefined) ids.add(leaseId);
  for (const { request } of endings) if (request.leaseId !== undefined) ids.add(request.leaseId);
  for (const { leaseId, account } of [...returns, ...grants]) if (account.budget === undefined) ids.add(leaseId);
  return ids;
}
