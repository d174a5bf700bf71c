import { lesser } from '../../common/prices/credits.js';
import { collectReturned } from './claims.js';
import type { BalanceRow, Charged, Lease, LedgerRows } from './ledger-rows.js';

/**
 * The store's half of the lease protocol as pure money: what each of its operations does to the rows that it has locked
 * (LedgerRows). The node's half is hold/purse.ts. Production, the property tests and the exhaustive exploration all run
 * these functions. Amounts are nano-credits.
 *
 * - Money that a node may spend has left the account's available balance before: reserved = sum over its leases of
 *   granted - spent.
 * - On the node: free + held + unflushed = granted - spent.
 * - Nobody is refused for money that another node does not use. A recall asks for it first, which each node answers
 *   with its lease.
 * - No budget pays more than it has left, and what it does not pay is uncollected.
 * - A request is charged once: charge <= hold + collected. What is due beyond the hold, or what a correction adds, is
 *   collected from what is available. The rest is recorded as uncollected, and collected from what the leases that are
 *   out by then give back.
 */

/** The end of a request, as its node or its journal says. */
export interface End {
  readonly requestId: string;
  readonly account: string;
  /** Absent where nothing was held. */
  readonly leaseId: string | undefined;
  /** What its lease pays. */
  readonly amount: bigint;
  /** What is due beyond that: other requests' holds back the lease's money. */
  readonly excess: bigint;
  readonly provisional: boolean;
}

/** A request that was in flight when its lease ran out, with the price of what it is known to have delivered. */
export interface Orphan {
  readonly requestId: string;
  readonly amount: bigint;
}

/** A grant takes this part of what is available beside what is needed. */
const SPARE_PARTS = 8n;

export function available({ posted, reserved }: BalanceRow): bigint {
  return posted - reserved;
}

/**
 * Moves `need` from the account to a lease, and besides an eighth of what is then available, so that leases shrink as
 * the account runs empty; nothing besides while another request waits for a recall.
 * @param opens true until the node has had an answer about this lease: a lease that has run out must not come back
 * under its name
 * @returns how much was moved; 0 where `need` is not available, or where the lease has run out
 */
export function grant(rows: LedgerRows, leaseId: string, account: string, need: bigint, opens: boolean): bigint {
  const balance = rows.balances.get(account);
  const lease = rows.leases.get(leaseId);
  if (!balance || need > available(balance) || (!lease && !opens)) return 0n;
  const amount = need + (balance.recalling ? 0n : (available(balance) - need) / SPARE_PARTS);
  if (amount === 0n) return 0n;
  if (lease) lease.granted += amount;
  else rows.leases.set(leaseId, { account, granted: amount, spent: 0n, recalled: balance.recall });
  balance.reserved += amount;
  return amount;
}

/**
 * Asks all nodes that have leased from an account for what they do not use.
 * @returns the number under which they answer
 */
export function recall(rows: LedgerRows, account: string): bigint {
  const balance = rows.balances.get(account)!;
  balance.recalling = true;
  return ++balance.recall;
}

/** The last recall that all of these leases have answered; undefined where none of them has money left. */
export function answered(leases: Iterable<Readonly<Lease>>): bigint | undefined {
  let lowest: bigint | undefined;
  for (const { granted, spent, recalled } of leases) if (granted > spent && (lowest === undefined || recalled < lowest)) lowest = recalled;
  return lowest;
}

/**
 * Moves unspent money of a lease back to its account. A lease that is used up is gone.
 * @param recalled the recall that this answers: then `amount` is all that the node does not use
 */
export function returnUnspent(rows: LedgerRows, leaseId: string, amount: bigint, recalled = 0n): void {
  const lease = rows.leases.get(leaseId);
  if (!lease) return;
  if (recalled > lease.recalled) lease.recalled = recalled;
  const returned = lesser(amount, lease.granted - lease.spent);
  lease.granted -= returned;
  rows.balances.get(lease.account)!.reserved -= returned;
  collectReturned(rows, leaseId, lease, returned);
  if (lease.granted === lease.spent) rows.leases.delete(leaseId);
}

/**
 * Charges a request out of its lease. What is due beyond it, or all of it where the lease has run out meanwhile, is
 * collected from what is available: never below zero, and never from money that leases back. A repetition changes
 * nothing.
 */
export function charge(rows: LedgerRows, end: End): void {
  const before = rows.charges.get(end.requestId);
  if (before && !before.provisional) return;
  const balance = rows.balances.get(end.account)!;
  const owed = end.amount + end.excess - (before?.amount ?? 0n);
  const held = before || end.leaseId === undefined ? 0n : end.amount;
  const payable = rows.spending ? rows.spending.payable(end.requestId, held, owed) : owed;
  const fromLease = held === 0n ? 0n : spend(rows, end.leaseId!, lesser(held, payable));
  const fromBalance = lesser(payable - fromLease, available(balance));
  balance.posted -= fromBalance;
  rows.spending?.spend(end.requestId, held, fromLease + fromBalance);
  collect(rows, end.account, fromLease + fromBalance);
  rows.charges.set(end.requestId, {
    amount: (before?.amount ?? 0n) + fromLease + fromBalance,
    uncollected: owed - fromLease - fromBalance,
    provisional: end.provisional,
  });
}

/** What of a charge was collected beyond the hold of its request. */
export function beyondHold({ amount }: Pick<Charged, 'amount'>, hold: bigint): bigint {
  return amount > hold ? amount - hold : 0n;
}

/**
 * Ends a lease whose node is gone: its open requests are charged for what they are known to have delivered, and the
 * rest goes back.
 */
export function reap(rows: LedgerRows, leaseId: string, orphans: readonly Orphan[]): void {
  const lease = rows.leases.get(leaseId);
  if (!lease) return;
  for (const { requestId, amount } of orphans) {
    if (rows.charges.has(requestId)) continue;
    const charged = spend(rows, leaseId, rows.spending ? rows.spending.payable(requestId, amount, amount) : amount);
    rows.spending?.spend(requestId, amount, charged);
    collect(rows, lease.account, charged);
    rows.charges.set(requestId, { amount: charged, uncollected: 0n, provisional: true });
  }
  const rest = lease.granted - lease.spent;
  rows.balances.get(lease.account)!.reserved -= rest;
  collectReturned(rows, leaseId, lease, rest);
  rows.leases.delete(leaseId);
}

function spend(rows: LedgerRows, leaseId: string, amount: bigint): bigint {
  const lease = rows.leases.get(leaseId);
  if (!lease) return 0n;
  const spent = lesser(amount, lease.granted - lease.spent);
  lease.spent += spent;
  const balance = rows.balances.get(lease.account)!;
  balance.posted -= spent;
  balance.reserved -= spent;
  return spent;
}

function collect(rows: LedgerRows, account: string, amount: bigint): void {
  rows.revenue.set(account, (rows.revenue.get(account) ?? 0n) + amount);
}
