/** A time for which a gateway could not renew its leases. On the clock of `performance.now()`, as all times here. */
export interface Silence {
  readonly what: string;
  readonly from: number;
  to: number;
}

/** A lease that was ended after its time, as the store has it. */
export interface Lapse {
  /** The process that had it. */
  readonly node: string;
  readonly account: string;
  /** When the store last heard of it from its process. */
  readonly renewedAt: number;
  readonly endedAt: number;
}

/** Parts of a lease's life after which its gateway renews it. */
const BEATS = 4;
/** Milliseconds until a gateway asks again that the store has not answered. */
const RETRY = 250;
/** Milliseconds that it all may take on a busy machine. */
const LATE = 250;

/**
 * Milliseconds within which a gateway that runs renews its leases on a store that answers: at the next beat; where what broke before is only found
 * out by it, at the retry thereafter.
 */
export function renewsWithin(lease: number): number {
  return lease / BEATS + RETRY + LATE;
}

/**
 * The longest time at a stretch, while the lease lived on after the last word on it, that its gateway had to renew it. A lease lapses rightly only
 * where each was too short; how many silences there were in between, and how long each was, says nothing.
 * @param silences of the gateway and of its store, in any order
 */
export function chanceToRenew({ renewedAt }: Lapse, silences: readonly Silence[], lease: number): number {
  let longest = 0;
  let since = renewedAt;
  const expiry = renewedAt + lease;
  for (const { from, to } of [...silences].sort((one, other) => one.from - other.from)) {
    if (to < since) continue;
    longest = Math.max(longest, Math.min(from, expiry) - since);
    since = Math.max(since, to);
  }
  return Math.max(longest, expiry - since);
}

/** Whether a request may have been open, or its end unknown to the store, as the lease ended. */
export function concerns(
  { renewedAt, endedAt }: Lapse,
  request: { readonly startedAt: number; readonly endedAt: number },
  lease: number,
): boolean {
  return request.startedAt <= Math.min(renewedAt + lease, endedAt) && request.endedAt + LATE >= renewedAt;
}
