import { BoundedMap } from '../bounded-map.js';

/** Accounts whose share is remembered. Of more, the one that it has known longest is forgotten. */
const MAX_ACCOUNTS = 1_000;

/**
 * Keeps an outage from multiplying load: each first attempt at a provider adds to its budget, and each further attempt
 * takes one from it. In the long run at most `ratio` retries are made for one first attempt, with a reserve for the
 * burst in which an outage begins and for providers with little traffic. One account can use up no more than half of
 * the reserve, beside what its own first attempts add: the rest is for the others.
 */
export class RetryBudget {
  #tokens: number;
  /** What the accounts have taken and not added again; empty while the reserve is full. */
  readonly #taken = new BoundedMap<string, number>(MAX_ACCOUNTS);

  /**
   * @param ratio number of retries that one first attempt adds
   * @param reserve number of retries that can be saved up
   */
  constructor(
    private readonly ratio = 0.2,
    private readonly reserve = 200,
  ) {
    this.#tokens = reserve;
  }

  firstAttempt(account: string): void {
    if (this.#taken.size === 0) return;
    this.#tokens = Math.min(this.reserve, this.#tokens + this.ratio);
    if (this.#tokens >= this.reserve) return this.#taken.clear();
    const taken = this.#taken.get(account);
    if (taken === undefined) return;
    if (taken > this.ratio) this.#taken.set(account, taken - this.ratio);
    else this.#taken.delete(account);
  }

  emptyFor(account: string): boolean {
    return this.#tokens < 1 || (this.#taken.get(account) ?? 0) + 1 > this.reserve / 2;
  }

  /** @returns whether the account may make a retry; if so, it has been paid */
  spend(account: string): boolean {
    if (this.emptyFor(account)) return false;
    this.#taken.set(account, (this.#taken.get(account) ?? 0) + 1);
    this.#tokens -= 1;
    return true;
  }
}
