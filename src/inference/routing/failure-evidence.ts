import type { Clock } from '../../common/time/clock.js';
import { breakerSettings } from './circuit-breaker.js';

/** What one account has met at an offer: in the row of failures and in the window that go on. */
export class Tally {
  row = 0;
  rowNumber = -1;
  attempts = 0;
  failures = 0;
  windowNumber = -1;
}

/** How many failures in a row other accounts must have met beside the one that has met most. */
const OTHERS_IN_A_ROW = 2;
/**
 * The same for the window: their attempts as a part of its minimum, and their share of failures as a part of the share
 * that opens. It is a little lower, because attempts of the other one before its first failure count as theirs.
 */
const OTHERS_ATTEMPTS = 0.4;
const OTHERS_SHARE = 0.8;

/**
 * Whether the failures of several accounts show that an offer fails, and not that one account's requests do. The
 * thresholds are those of a single account's circuit, over all accounts together; but what the account with the most
 * failures has met must be confirmed by others, so that one account alone is never enough, however much it sends. All
 * operations cost a few integer operations.
 */
export class FailureEvidence {
  #row = 0;
  #rowNumber = 0;
  #windowStart: number;
  #windowNumber = 0;
  #attempts = 0;
  #failures = 0;
  /** The account with the most failures in the window. */
  #most: Tally | undefined;

  constructor(private readonly clock: Pick<Clock, 'now'>) {
    this.#windowStart = clock.now();
  }

  /** @param tally the account's, where it has one: an account gets it with its first failure */
  succeeded(tally: Tally | undefined): void {
    this.#roll();
    if (this.#row > 0) this.#beginRow();
    this.#attempts++;
    if (!tally) return;
    this.#join(tally);
    tally.attempts++;
  }

  failed(tally: Tally): void {
    this.#roll();
    this.#join(tally);
    this.#attempts++;
    this.#failures++;
    tally.attempts++;
    tally.failures++;
    if (!this.#most || this.#most.windowNumber !== this.#windowNumber || tally.failures > this.#most.failures) this.#most = tally;
    // Beyond its part of the row an account's failures say nothing new.
    if (tally.row++ < breakerSettings.consecutive - OTHERS_IN_A_ROW) this.#row++;
  }

  /** A failure that no account can have caused. */
  probeFailed(): void {
    this.#row++;
  }

  forget(): void {
    this.#beginRow();
    this.#beginWindow(this.clock.now());
  }

  get convincing(): boolean {
    return this.#row >= breakerSettings.consecutive || this.#mostlyFailing;
  }

  /** Whether the account has met failures in this window. */
  hasFailed(tally: Tally): boolean {
    this.#roll();
    return tally.windowNumber === this.#windowNumber && tally.failures > 0;
  }

  /**
   * Whether one more failure of the account says something about the offer: where others have met about as many, or
   * where it is alone.
   */
  weighs(tally: Tally): boolean {
    this.#roll();
    this.#join(tally);
    const others = this.#failures - tally.failures;
    return tally.attempts === this.#attempts || tally.failures < others + breakerSettings.consecutive - OTHERS_IN_A_ROW;
  }

  get #mostlyFailing(): boolean {
    const { minimum, share } = breakerSettings;
    if (this.#attempts < minimum || this.#failures < share * this.#attempts) return false;
    const attempts = this.#attempts - (this.#most?.attempts ?? 0);
    const failures = this.#failures - (this.#most?.failures ?? 0);
    return attempts >= OTHERS_ATTEMPTS * minimum && failures >= OTHERS_SHARE * share * attempts;
  }

  #join(tally: Tally): void {
    if (tally.rowNumber !== this.#rowNumber) {
      tally.rowNumber = this.#rowNumber;
      tally.row = 0;
    }
    if (tally.windowNumber !== this.#windowNumber) {
      tally.windowNumber = this.#windowNumber;
      tally.attempts = tally.failures = 0;
    }
  }

  #beginRow(): void {
    this.#row = 0;
    this.#rowNumber++;
  }

  #roll(): void {
    const now = this.clock.now();
    if (now - this.#windowStart >= breakerSettings.windowMs) this.#beginWindow(now);
  }

  #beginWindow(now: number): void {
    this.#windowStart = now;
    this.#windowNumber++;
    this.#attempts = this.#failures = 0;
    this.#most = undefined;
  }
}
