import { lesser } from '../../common/prices/credits.js';
import { available } from '../protocol/lease-protocol.js';
import type { LedgerRows, Spending } from '../protocol/ledger-rows.js';

/** A budget that a request counts in. */
export interface Spender {
  readonly budget: string;
  /** The share that the request was held from; absent: none, or it has run out. */
  readonly share: string | undefined;
  /**
   * Nano-credits by which the limit was higher when the request was let in under it; absent: it was not, and counts
   * only.
   */
  readonly lowered: bigint | undefined;
}

/**
 * What budgets allow to be charged, as pure money. A budget is to its shares what a balance is to its leases: `posted`
 * is what is left of its limit, so that the lease protocol grants, recalls and returns its shares.
 */
export class BudgetSpending implements Spending {
  /**
   * @param rows the budgets and their shares, by name and id
   * @param spenders by request
   */
  constructor(
    private readonly rows: Pick<LedgerRows, 'balances' | 'leases'>,
    private readonly spenders: ReadonlyMap<string, readonly Spender[]>,
  ) {}

  payable(requestId: string, held: bigint, owed: bigint): bigint {
    let payable = owed;
    for (const { budget, share, lowered } of this.spenders.get(requestId) ?? []) {
      if (lowered === undefined) continue;
      const balance = this.rows.balances.get(budget)!;
      // What others have spent without being let in under it, no share pays any more.
      const paid = lesser(this.#ofShare(share, held) + atLeastNothing(available(balance)), atLeastNothing(balance.posted + lowered));
      payable = lesser(payable, paid);
    }
    return payable;
  }

  spend(requestId: string, held: bigint, amount: bigint): void {
    for (const { budget, share } of this.spenders.get(requestId) ?? []) {
      const balance = this.rows.balances.get(budget)!;
      // What the share has held is used up: what is not charged goes back to the budget.
      const ofShare = this.#ofShare(share, held);
      if (ofShare > 0n) this.rows.leases.get(share!)!.spent += ofShare;
      balance.posted -= amount;
      balance.reserved -= ofShare;
    }
  }

  #ofShare(share: string | undefined, held: bigint): bigint {
    const row = share === undefined ? undefined : this.rows.leases.get(share);
    return row ? lesser(held, row.granted - row.spent) : 0n;
  }
}

function atLeastNothing(amount: bigint): bigint {
  return amount > 0n ? amount : 0n;
}
