import { lesser } from '../../common/prices/credits.js';

/**
 * The node's half of the lease protocol as pure money: how a node accounts for a lease in memory, and what it makes of
 * a recall. The store's half is leases/lease-protocol.ts. Production, the property tests and the exhaustive exploration
 * all run these functions. Amounts are nano-credits.
 */

/** What a lease is worth, as the store has it. */
export interface LeaseAmounts {
  granted: bigint;
  spent: bigint;
  /** Number of the last recall to which its node has given back what it did not use. */
  recalled: bigint;
}

/** A lease as its node accounts for it in memory: free + held + unflushed = granted - spent. */
export interface Purse {
  /** For the next requests to hold. */
  free: bigint;
  /** By open requests. */
  held: bigint;
  /** Charged on the node, and not known to be in the store. */
  unflushed: bigint;
}

export function emptyPurse(): Purse {
  return { free: 0n, held: 0n, unflushed: 0n };
}

export function take(purse: Purse, amount: bigint): boolean {
  if (amount > purse.free) return false;
  purse.free -= amount;
  purse.held += amount;
  return true;
}

/** What a purse can pay of an amount that is due: the hold first, and beyond it what is free. */
export function payable({ free }: Readonly<Purse>, held: bigint, due: bigint): bigint {
  return lesser(due, held + free);
}

/**
 * Ends a hold: what is due comes out of it and, where that is not enough, out of what is free. What other holds need is
 * left alone.
 * @returns the excess, which the store has to collect from what the account has available
 */
export function settle(purse: Purse, held: bigint, due: bigint): bigint {
  const amount = payable(purse, held, due);
  pay(purse, held, amount);
  return due - amount;
}

/** Ends a hold for an amount that the purse can pay. */
export function pay(purse: Purse, held: bigint, amount: bigint): void {
  purse.held -= held;
  purse.free += held - amount;
  purse.unflushed += amount;
}

/**
 * Takes over what the store says that the lease is worth.
 * @param flushed nano-credits of charges that the store has confirmed with it
 */
export function reconcile(purse: Purse, lease: Pick<LeaseAmounts, 'granted' | 'spent'>, flushed: bigint): void {
  purse.unflushed -= flushed;
  purse.free = lease.granted - lease.spent - purse.held - purse.unflushed;
}

/**
 * Whether no node is left that could give back money for a request which the account cannot pay.
 * @param raised the recall that was made for the request
 * @param reached the last recall that the other leases have all answered; undefined where there are none
 */
export function lastWord(raised: bigint | undefined, reached: bigint | undefined): boolean {
  return reached === undefined || (raised !== undefined && raised <= reached);
}

/**
 * The number under which a node may answer a recall: none while the store may have granted it more than it knows of.
 */
export function replyTo(raised: bigint, doubtful: boolean): bigint {
  return doubtful ? 0n : raised;
}
