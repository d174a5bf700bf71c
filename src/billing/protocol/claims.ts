import { lesser } from '../../common/prices/credits.js';
import type { Claims, Lease, LedgerRows } from './ledger-rows.js';

/** Lets what is uncollected of a request be collected from what these leases have and give back. */
export function claim({ claims }: LedgerRows, requestId: string, leases: Iterable<readonly [id: string, Lease]>): void {
  for (const [id, { granted, spent }] of leases) if (granted > spent) addClaim(claims, id, requestId, granted);
}

export function addClaim(claims: Claims, leaseId: string, requestId: string, granted: bigint): void {
  const ofLease = claims.get(leaseId);
  if (ofLease) ofLease.set(requestId, granted);
  else claims.set(leaseId, new Map([[requestId, granted]]));
}

/** Collects for the requests that claim it, in their order, what a lease has just given back. */
export function collectReturned(rows: LedgerRows, leaseId: string, { account, spent }: Lease, returned: bigint): void {
  const ofLease = rows.claims.get(leaseId);
  if (!ofLease) return;
  let left = returned;
  for (const [requestId, granted] of ofLease) {
    const before = rows.charges.get(requestId)!;
    const claimed = granted > spent ? granted - spent : 0n;
    const wanted = lesser(lesser(claimed, left), before.uncollected);
    const amount = rows.spending ? rows.spending.payable(requestId, 0n, wanted) : wanted;
    rows.spending?.spend(requestId, 0n, amount);
    left -= amount;
    rows.balances.get(account)!.posted -= amount;
    rows.revenue.set(account, (rows.revenue.get(account) ?? 0n) + amount);
    if (amount > 0n) rows.charges.set(requestId, { ...before, amount: before.amount + amount, uncollected: before.uncollected - amount });
    if (claimed > returned) ofLease.set(requestId, granted - returned);
    else ofLease.delete(requestId);
  }
}
