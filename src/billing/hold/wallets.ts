import type { Environment } from '../../auth/principal.js';
import type { BalanceKey } from '../balance-key.js';
import { Wallet } from './wallet.js';

/** The wallets of this process, by account and environment. Those that hold nothing are forgotten. */
export class Wallets {
  readonly #wallets = new Map<string, Map<Environment, Wallet>>();

  /** The wallet of a balance, which is made where there is none. */
  of({ accountId, environment }: BalanceKey): Wallet {
    let ofAccount = this.#wallets.get(accountId);
    if (!ofAccount) this.#wallets.set(accountId, (ofAccount = new Map()));
    let wallet = ofAccount.get(environment);
    if (!wallet) ofAccount.set(environment, (wallet = new Wallet({ accountId, environment })));
    return wallet;
  }

  /** The wallet of a balance, if there is one. */
  find({ accountId, environment }: BalanceKey): Wallet | undefined {
    return this.#wallets.get(accountId)?.get(environment);
  }

  *[Symbol.iterator](): Generator<Wallet> {
    for (const ofAccount of this.#wallets.values()) yield* ofAccount.values();
  }

  forget({ account: { accountId, environment } }: Wallet): void {
    const ofAccount = this.#wallets.get(accountId);
    ofAccount?.delete(environment);
    if (ofAccount?.size === 0) this.#wallets.delete(accountId);
  }
}
