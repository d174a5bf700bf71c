/** A time in which a gateway could not renew its leases. On the clock of `performance.now()`, as all times here. */
export interface Outage {
  readonly what: string;
  readonly from: number;
  to: number;
}

/** A lease that was ended after its time, as the store has it. */
export interface Lapse {
  /** The process that had it. */
  readonly node: string;
  readonly account: string;
  /** When its process last renewed it. */
  readonly renewedAt: number;
  readonly endedAt: number;
}

/** Parts of a lease's life after which its gateway renews it. */
const BEATS = 4;
/** Milliseconds after which a gateway asks a store again that has not answered. */
const RETRY = 250;

/**
 * Milliseconds within which a running gateway renews its leases on a store that answers: at the next renewal, or at the
 * retry after it where that only finds out that a connection had broken.
 * @param late milliseconds that a renewal may be late on a busy machine
 */
export function renewsWithin(lease: number, late: number): number {
  return lease / BEATS + RETRY + late;
}

/**
 * The longest time without an outage, between the last renewal of a lease and its expiry, that its gateway had to renew
 * it. A lease lapses rightly only where each of these times was too short; the number and the length of the outages say
 * nothing.
 * @param outages of the gateway and of its store, in any order
 */
export function chanceToRenew({ renewedAt }: Lapse, outages: readonly Outage[], lease: number): number {
  let longest = 0;
  let since = renewedAt;
  const expiry = renewedAt + lease;
  for (const { from, to } of [...outages].sort((one, other) => one.from - other.from)) {
    if (to < since) continue;
    longest = Math.max(longest, Math.min(from, expiry) - since);
    since = Math.max(since, to);
  }
  return Math.max(longest, expiry - since);
}

/** Whether a request may have been open, or its end unknown to the store, when the lease ended. */
export function concerns(
  { renewedAt, endedAt }: Lapse,
  request: { readonly startedAt: number; readonly endedAt: number },
  { lease, late }: { readonly lease: number; readonly late: number },
): boolean {
  return request.startedAt <= Math.min(renewedAt + lease, endedAt) && request.endedAt + late >= renewedAt;
}
