import { randomUUIDv7 } from 'node:crypto';
import type { BalanceKey } from '../balance-key.js';
import { emptyPurse, type LeaseAmounts, type Purse, reconcile } from './purse.js';

/** A lease of this process: money that it may spend until the deadline. */
export class HeldLease {
  readonly id = randomUUIDv7();
  readonly purse: Purse = emptyPurse();
  /** The store has answered about this lease, which must not be opened again under its name. */
  opened = false;
  /** Monotonic milliseconds after which nothing more is held from it, well before other processes may reap it. */
  deadline = 0;
  /** More is asked for, ahead of need, where fewer nano-credits are free. */
  refillBelow = 0n;
  /** The last recall that it has answered. */
  recalled = 0n;

  constructor(readonly account: BalanceKey) {}

  renewed(row: Readonly<LeaseAmounts>, flushed: bigint, deadline: number): void {
    reconcile(this.purse, row, flushed);
    this.opened = true;
    this.recalled = row.recalled;
    this.deadline = deadline;
    this.refillBelow = (row.granted - row.spent) / 4n;
  }
}
