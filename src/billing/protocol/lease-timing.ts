/** Nothing is held from a lease in the last part of its life: the clock that counts is the store's. */
const USABLE_SHARE = 0.7;

/** Renewals in a lease's life. */
const RENEWALS = 4;

/** Recalls that could be waited for in a lease's life, one after the other. */
const RECALL_WAITS = 10;

/** Leases, or shares of budgets, in one transaction of the reaper. */
export const MAX_REAPED = 100;

/**
 * Until when money of a lease may be held, on the clock of `sentAt`.
 * @param sentAt when the message was sent that renewed it, in milliseconds
 * @param ttl milliseconds that a lease lives from its renewal on
 */
export function usableUntil(sentAt: number, ttl: number): number {
  return sentAt + USABLE_SHARE * ttl;
}

/** Milliseconds from one renewal of a lease to the next. */
export function renewalInterval(ttl: number): number {
  return ttl / RENEWALS;
}

/** Milliseconds for which a request waits for the answers to its recall. */
export function recallWait(ttl: number): number {
  return Math.ceil(ttl / RECALL_WAITS);
}
