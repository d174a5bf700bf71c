import type { Environment, Principal } from '../../auth/principal.js';
import type { Budget } from '../../auth/rules/principal-rules.js';
import { type Clock, systemClock } from '../../common/time/clock.js';
import type { BalanceKey } from '../balance-key.js';
import { type BudgetPeriod, periodsIn, type Stretch } from './budget-period.js';
import type { HoldRequest } from './ledger.js';
import { Wallet } from './wallet.js';
import { WalletSet } from './wallet-set.js';

/** The wallets of this process, of balances and of budgets. Those that hold nothing are forgotten. */
export class Wallets {
  /** By account and environment. */
  readonly #wallets = new Map<string, Map<Environment, Wallet>>();
  /** By name. */
  readonly #budgets = new Map<string, Wallet>();
  /** Those of each key with budgets, which are the same for all of its requests of a day. */
  #sets = new WeakMap<Principal, Stretch<WalletSet>>();

  constructor(readonly clock: Clock = systemClock) {}

  /** The wallet of a balance, which is made where there is none. */
  of({ accountId, environment }: BalanceKey): Wallet {
    let ofAccount = this.#wallets.get(accountId);
    if (!ofAccount) this.#wallets.set(accountId, (ofAccount = new Map()));
    let wallet = ofAccount.get(environment);
    if (!wallet) ofAccount.set(environment, (wallet = new Wallet({ accountId, environment }, this.clock)));
    return wallet;
  }

  /** The wallets of a request's balance and of the budgets that limit it, which are made where there are none. */
  within(budgets: readonly Budget[], { principal, requestId }: Pick<HoldRequest, 'principal' | 'requestId'>): WalletSet {
    const known = this.#sets.get(principal);
    if (known?.has(requestId)) return known.value;
    const periods = periodsIn(budgets, requestId);
    const wallets = periods.value.map((period) => this.#ofBudget(principal, period));
    const set = new WalletSet(wallets, this.of(principal), this.clock);
    this.#sets.set(principal, periods.with(set));
    return set;
  }

  /** The wallet of a balance or a budget, if there is one. */
  find({ accountId, environment, budget }: BalanceKey): Wallet | undefined {
    return budget === undefined ? this.#wallets.get(accountId)?.get(environment) : this.#budgets.get(budget);
  }

  *[Symbol.iterator](): Generator<Wallet> {
    for (const ofAccount of this.#wallets.values()) yield* ofAccount.values();
    yield* this.#budgets.values();
  }

  forget({ account: { accountId, environment, budget } }: Wallet): void {
    this.#sets = new WeakMap();
    if (budget !== undefined) return void this.#budgets.delete(budget);
    const ofAccount = this.#wallets.get(accountId);
    ofAccount?.delete(environment);
    if (ofAccount?.size === 0) this.#wallets.delete(accountId);
  }

  #ofBudget({ accountId, environment }: BalanceKey, period: BudgetPeriod): Wallet {
    let wallet = this.#budgets.get(period.name);
    if (!wallet) this.#budgets.set(period.name, (wallet = new Wallet({ accountId, environment, budget: period.name }, this.clock, period)));
    else if (wallet.budget !== period) wallet.limitedBy(period);
    return wallet;
  }
}
