/**
 * Keeps an outage from multiplying load: each first attempt at a provider adds to its budget, and each further attempt
 * takes one from it. In the long run at most `ratio` retries are made for one first attempt, with a reserve for the
 * burst in which an outage begins and for providers with little traffic.
 */
export class RetryBudget {
  #tokens: number;

  /**
   * @param ratio number of retries that one first attempt adds
   * @param reserve number of retries that can be saved up
   */
  constructor(
    private readonly ratio = 0.2,
    private readonly reserve = 100,
  ) {
    this.#tokens = reserve;
  }

  firstAttempt(): void {
    this.#tokens = Math.min(this.reserve, this.#tokens + this.ratio);
  }

  get empty(): boolean {
    return this.#tokens < 1;
  }

  /** @returns whether a retry may be made; if so, it has been paid */
  spend(): boolean {
    if (this.empty) return false;
    this.#tokens -= 1;
    return true;
  }
}
