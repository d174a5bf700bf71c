import { balanceName, type BalanceKey } from '../balance-key.js';
import type { RequestFacts } from '../hold/request-facts.js';
import type { Stretch } from '../hold/budget-period.js';

/** Keys that are remembered. */
const MOST = 10_000;

/** The budgets in which a key's requests of one day count. */
export interface BudgetsOfKey {
  /** How many budgets the balance had been given by then: it grows with each one that is made. */
  readonly version: bigint;
  readonly names: readonly string[];
}

/**
 * In which budgets requests count, as the last transaction of this process that has read it found. Other processes
 * change it, which the statements that rely on it find out.
 */
export class KnownBudgets {
  readonly #balances = new Set<string>();
  readonly #keys = new Map<string, Stretch<BudgetsOfKey>>();

  /** Whether budgets are known to count what is charged to a balance. */
  count(balance: BalanceKey): boolean {
    return this.#balances.size > 0 && this.#balances.has(balanceName(balance));
  }

  /** @returns those of the requests of the same day; undefined where they have to be read */
  of({ requestId, principal }: Pick<RequestFacts, 'requestId' | 'principal'>): Stretch<BudgetsOfKey> | undefined {
    const day = this.#keys.get(principal.keyId);
    return day?.has(requestId) ? day : undefined;
  }

  /** @param balances those in which budgets count; the others of their transaction are left as they are */
  learn(balances: Iterable<string>, keys: Iterable<readonly [keyId: string, Stretch<BudgetsOfKey>]>): void {
    for (const name of balances) this.#balances.add(name);
    for (const [keyId, day] of keys) {
      if (this.#keys.size >= MOST) this.#keys.clear();
      this.#keys.set(keyId, day);
    }
  }
}
