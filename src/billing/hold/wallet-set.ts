import type { Clock } from '../../common/time/clock.js';
import type { HeldLease } from './held-lease.js';
import type { HoldRequest } from './ledger.js';
import { settle } from './purse.js';
import { Shares } from './shares.js';
import type { Wallet } from './wallet.js';
import { type Admission, worstCase } from './worst-case.js';

/** What was held for a request, in its balance and in its budgets. */
interface HeldFromAll {
  readonly lease: HeldLease;
  readonly shares: Shares;
  readonly admission: Admission;
}

/** Where the requests of a key with budgets are held: the wallets of the budgets, and last that of the balance. */
export class WalletSet {
  readonly wallets: readonly Wallet[];
  #shares = new Shares([]);

  constructor(
    readonly budgets: readonly Wallet[],
    readonly balance: Wallet,
    private readonly clock: Clock,
  ) {
    this.wallets = [...budgets, balance];
  }

  /** Holds an amount in all of the wallets, or in none where one of them lacks it in memory. */
  take(amount: bigint, now: number): boolean {
    const { wallets } = this;
    for (let index = 0; index < wallets.length; index++) {
      if (wallets[index]!.take(amount, now)) continue;
      this.#giveBack(this.#leases(index), amount);
      return false;
    }
    return true;
  }

  /** The shares that the last amount was held in: one object for all requests, for as long as they are the same. */
  get shares(): Shares {
    const { budgets } = this;
    const { leases } = this.#shares;
    let same = leases.length === budgets.length;
    for (let index = 0; same && index < budgets.length; index++) same = leases[index] === budgets[index]!.lease;
    if (!same) this.#shares = new Shares(this.#leases(budgets.length));
    return this.#shares;
  }

  /**
   * Holds a request's worst case in one wallet after the other, waiting where memory cannot pay. Where one lowers its
   * tokens, the others hold no more than that.
   * @param wait holds in one wallet, once the store has been asked; rejects where there is nothing
   */
  async wait(
    request: HoldRequest,
    wait: (request: HoldRequest, wallet: Wallet) => Promise<{ lease: HeldLease; admission: Admission }>,
  ): Promise<HeldFromAll> {
    const leases: HeldLease[] = [];
    let admission: Admission = { amount: worstCase(request, request.maxTokens), maxTokens: request.maxTokens };
    for (const wallet of this.wallets) {
      const { amount, maxTokens } = admission;
      const lease = wallet.take(amount, this.clock.monotonic());
      if (lease) {
        leases.push(lease);
        continue;
      }
      try {
        const held = await wait({ ...request, maxTokens }, wallet);
        this.#giveBack(leases, amount - held.admission.amount);
        leases.push(held.lease);
        admission = held.admission;
      } catch (error) {
        this.#giveBack(leases, amount);
        throw error;
      }
    }
    return { lease: leases.pop()!, shares: new Shares(leases), admission };
  }

  #leases(count: number): HeldLease[] {
    return this.wallets.slice(0, count).map(({ lease }) => lease!);
  }

  /** Frees an amount that was held in the first of the wallets, for those who wait there too. */
  #giveBack(leases: readonly HeldLease[], amount: bigint): void {
    if (amount === 0n) return;
    for (const [index, lease] of leases.entries()) {
      settle(lease.purse, amount, 0n);
      if (this.wallets[index]!.lease === lease) this.wallets[index]!.serve(this.clock.monotonic());
    }
  }
}
