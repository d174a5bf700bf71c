/**
 * Keeps an outage from multiplying load: a further attempt at a provider is paid from what its first attempts brought in. At most `ratio` of the
 * traffic of the last minutes are retries, with a reserve for the burst in which an outage begins and for quiet providers.
 */
export class RetryBudget {
  #tokens: number;

  /**
   * @param ratio retries allowed for one first attempt
   * @param reserve retries that can be saved up
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

  /** True, and spent, when a retry may be made. */
  spend(): boolean {
    if (this.empty) return false;
    this.#tokens -= 1;
    return true;
  }
}
