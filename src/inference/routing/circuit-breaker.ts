import type { Clock } from '../../common/time/clock.js';
/** When a circuit opens, and for how long. Times are milliseconds; `share` is from 0 to 1. */
export const breakerSettings = {
  /** Number of consecutive failures that opens the circuit. */
  consecutive: 5,
  /** Share of failed attempts that opens the circuit, once the window has `minimum` attempts. */
  share: 0.5,
  minimum: 20,
  windowMs: 30_000,
  /** The first pause, which doubles with each failed probe up to the longest. */
  pauseMs: 1_000,
  longestPauseMs: 60_000,
};

export const breakerStates = ['closed', 'half_open', 'open'] as const;
export type BreakerState = (typeof breakerStates)[number];

/**
 * Keeps one account's requests away from an offer that fails for them. It is not from a library, because an attempt
 * here has a third ending that the known libraries lack: when the client leaves, that is neither a success nor a
 * failure of the provider, and a probe must be given back. It costs a few integer operations.
 */
export class CircuitBreaker {
  #state: BreakerState = 'closed';
  #failuresInRow = 0;
  #windowStart: number;
  #attempts = 0;
  #failures = 0;
  #pauseMs = breakerSettings.pauseMs;
  #opensAt = 0;
  #probing = false;

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly onChange: (state: BreakerState) => void = () => undefined,
  ) {
    this.#windowStart = clock.now();
  }

  /** The state as of now: an open circuit whose pause is over is half open. */
  get state(): BreakerState {
    return this.#state === 'open' && this.clock.now() >= this.#opensAt ? 'half_open' : this.#state;
  }

  /** Whether an attempt may begin now. Reading it does not begin one. */
  get allows(): boolean {
    const { state } = this;
    return state === 'closed' || (state === 'half_open' && !this.#probing);
  }

  /** Begins an attempt, for which exactly one of succeeded, failed and abandoned must be called. */
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
    this.#pauseMs = breakerSettings.pauseMs;
    if (this.#state !== 'closed') {
      this.#roll(this.clock.now());
      this.#enter('closed');
    }
    this.#count(false);
  }

  /** @param retryAfterMs what the provider asked for; the pause is at least that long, up to the longest pause */
  failed(retryAfterMs = 0): void {
    this.#probing = false;
    this.#failuresInRow++;
    this.#count(true);
    if (this.#state === 'half_open') this.#pauseMs = Math.min(this.#pauseMs * 2, breakerSettings.longestPauseMs);
    else if (this.#state === 'open') return;
    else if (this.#failuresInRow < breakerSettings.consecutive && !this.#mostlyFailing) return;
    this.#opensAt = this.clock.now() + Math.min(Math.max(this.#pauseMs, retryAfterMs), breakerSettings.longestPauseMs);
    this.#enter('open');
  }

  /** Opens the circuit for at least so long, up to the longest pause. */
  pause(ms: number): void {
    this.#pauseMs = Math.min(Math.max(this.#pauseMs, ms), breakerSettings.longestPauseMs);
    this.#opensAt = this.clock.now() + this.#pauseMs;
    this.#enter('open');
  }

  /** The attempt ended for reasons of the client. */
  abandoned(): void {
    this.#probing = false;
  }

  /** Makes an open circuit half open, because the provider is known to answer again. */
  endPause(): void {
    if (this.#state === 'open') this.#opensAt = this.clock.now();
  }

  get #mostlyFailing(): boolean {
    return this.#attempts >= breakerSettings.minimum && this.#failures / this.#attempts >= breakerSettings.share;
  }

  #count(failure: boolean): void {
    const now = this.clock.now();
    if (now - this.#windowStart >= breakerSettings.windowMs) this.#roll(now);
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
