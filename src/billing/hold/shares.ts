import type { HeldLease } from './held-lease.js';

/** The shares of the budgets that limit a request, each of which holds as much as its lease does. */
export class Shares {
  readonly ids: readonly string[];

  /** @param leases in the order of the budgets */
  constructor(readonly leases: readonly HeldLease[]) {
    this.ids = leases.map(({ id }) => id);
  }
}
