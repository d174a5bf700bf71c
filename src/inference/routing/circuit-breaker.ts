/** Milliseconds and shares. */
export interface BreakerSettings {
  /** Failures in a row that open the circuit. */
  readonly consecutive: number;
  /** Share of failed attempts that opens it, once `minimum` attempts fell into the window. */
  readonly share: number;
  readonly minimum: number;
  readonly windowMs: number;
  /** First pause; doubles with each failed probe up to the longest. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

export const breakerDefaults: BreakerSettings = {
  consecutive: 5,
  share: 0.5,
  minimum: 20,
  windowMs: 30_000,
  pauseMs: 1_000,
  longestPauseMs: 60_000,
};

export const breakerStates = ['closed', 'half_open', 'open'] as const;
export type BreakerState = (typeof breakerStates)[number];

/**
 * Keeps requests away from an offer that fails. Our own, because an attempt here has a third ending that the known libraries lack: a client that
 * leaves says nothing about the provider, neither as a success nor as a failure, and must give a probe back. Costs a few integer operations.
 */
export class CircuitBreaker {
  #state: BreakerState = 'closed';
  #failuresInRow = 0;
  #windowStart: number;
  #attempts = 0;
  #failures = 0;
  #pauseMs: number;
  #opensAt = 0;
  #probing = false;

  constructor(
    private readonly settings: BreakerSettings = breakerDefaults,
    private readonly now: () => number = Date.now,
    private readonly onChange: (state: BreakerState) => void = () => undefined,
  ) {
    this.#windowStart = now();
    this.#pauseMs = settings.pauseMs;
  }

  /** As of now: an open circuit whose pause is over is half open. */
  get state(): BreakerState {
    return this.#state === 'open' && this.now() >= this.#opensAt ? 'half_open' : this.#state;
  }

  /** True when an attempt may begin now; looks without taking. */
  get allows(): boolean {
    const { state } = this;
    return state === 'closed' || (state === 'half_open' && !this.#probing);
  }

  /** Takes the right to one attempt, which must end in exactly one of succeeded, failed, abandoned. */
  begin(): boolean {
    if (!this.allows) return false;
    if (this.state === 'half_open') {
      this.#probing = true;
      this.#enter('half_open');
    }
    return true;
  }

  succeeded(): void {
    this.#probing = false;
    this.#failuresInRow = 0;
    this.#pauseMs = this.settings.pauseMs;
    if (this.#state !== 'closed') {
      this.#roll(this.now());
      this.#enter('closed');
    }
    this.#count(false);
  }

  /** @param retryAfterMs what the provider asked for; the pause is at least that, within the longest pause */
  failed(retryAfterMs = 0): void {
    this.#probing = false;
    this.#failuresInRow++;
    this.#count(true);
    if (this.#state === 'half_open') this.#pauseMs = Math.min(this.#pauseMs * 2, this.settings.longestPauseMs);
    else if (this.#state === 'open') return;
    else if (this.#failuresInRow < this.settings.consecutive && !this.#mostlyFailing) return;
    this.#opensAt = this.now() + Math.min(Math.max(this.#pauseMs, retryAfterMs), this.settings.longestPauseMs);
    this.#enter('open');
  }

  /** The attempt ended for reasons of the client. */
  abandoned(): void {
    this.#probing = false;
  }

  /** What kept the provider away is known to be over: an open circuit is half open now. */
  endPause(): void {
    if (this.#state === 'open') this.#opensAt = this.now();
  }

  get #mostlyFailing(): boolean {
    return this.#attempts >= this.settings.minimum && this.#failures / this.#attempts >= this.settings.share;
  }

  #count(failure: boolean): void {
    const now = this.now();
    if (now - this.#windowStart >= this.settings.windowMs) this.#roll(now);
    this.#attempts++;
    if (failure) this.#failures++;
  }

  #roll(now: number): void {
    this.#windowStart = now;
    this.#attempts = 0;
    this.#failures = 0;
  }

  #enter(state: BreakerState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.onChange(state);
  }
}
