import { v7 as uuidv7 } from 'uuid';
import type { BalanceKey } from '../balance-key.js';
import { emptyPurse, type LeaseAmounts, type Purse, reconcile } from './purse.js';

/** Money that this process may spend until its deadline. */
export class HeldLease {
  readonly id = uuidv7();
  readonly purse: Purse = emptyPurse();
  /** The store has answered about it: it must not be opened again under this name. */
  opened = false;
  /** Monotonic milliseconds after which nothing more is held from it, well before others may reap it. */
  deadline = 0;
  /** Free nano-credits below which more is asked for ahead of need. */
  refillBelow = 0n;
  /** The last recall that was answered with it. */
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
