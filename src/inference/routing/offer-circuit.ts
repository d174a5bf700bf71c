import type { Clock } from '../../common/time/clock.js';
import { breakerSettings, type BreakerState, CircuitBreaker } from './circuit-breaker.js';
import { FailureEvidence, Tally } from './failure-evidence.js';

/** Accounts that an offer remembers for their failures. Of more, the one that it has known longest is forgotten. */
const MAX_ACCOUNTS = 1_000;

/** Attempts that try an offer after a pause at the same time, each for another account. */
const MAX_TRIALS = 2;

/**
 * Why a circuit has opened last: `failures` that several accounts have met, `trials` of several accounts that have
 * failed after a pause, or `probes` of the gateway's own.
 */
export type CircuitReason = 'failures' | 'trials' | 'probes';

/** What an offer remembers of an account whose requests have failed lately. */
interface AccountCircuit {
  readonly breaker: CircuitBreaker;
  readonly tally: Tally;
}

/**
 * Keeps requests away from an offer that fails, and from each other: a request may be what makes an offer fail. The
 * failures of an account open the account's own circuit. The circuit of all accounts is opened by failures that several
 * accounts have met, or by probes of the gateway's own. An account without failures costs one comparison.
 */
export class OfferCircuit {
  readonly #accounts = new Map<string, AccountCircuit>();
  readonly #evidence: FailureEvidence;
  #state: BreakerState = 'closed';
  #changedAt: number | undefined;
  #reason: CircuitReason | undefined;
  #opensAt = 0;
  #pauseMs = breakerSettings.pauseMs;
  /** The accounts whose attempts try the offer after the pause. */
  #trials: string[] = [];
  /** The account whose trial has failed since the pause. */
  #doubter: string | undefined;

  /** @param onChange is told of the circuit of all accounts, or of that of one */
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly onChange: (state: BreakerState, account?: string) => void = () => undefined,
  ) {
    this.#evidence = new FailureEvidence(clock);
  }

  /** The state for all accounts as of now: an open circuit whose pause is over is half open. */
  get state(): BreakerState {
    return this.#state === 'open' && this.clock.now() >= this.#opensAt ? 'half_open' : this.#state;
  }

  /** Since when it is in its state, in milliseconds since 1970; undefined where it has never changed. */
  get since(): number | undefined {
    return this.#state === 'open' && this.state === 'half_open' ? this.#opensAt : this.#changedAt;
  }

  /** Why it is not closed; undefined where it is. */
  get reason(): CircuitReason | undefined {
    return this.#state === 'closed' ? undefined : this.#reason;
  }

  /** When it will be half open, in milliseconds since 1970; undefined where it is not open. */
  get opensAt(): number | undefined {
    return this.state === 'open' ? this.#opensAt : undefined;
  }

  /** Number of accounts whose own circuit is open. */
  get openAccounts(): number {
    let open = 0;
    for (const { breaker } of this.#accounts.values()) if (breaker.state === 'open') open++;
    return open;
  }

  /** The state for one account: the worse of the two that concern it. */
  stateFor(account: string): BreakerState {
    const own = this.#accounts.get(account)?.breaker.state ?? 'closed';
    return this.state === 'open' || own === 'closed' ? this.state : own;
  }

  /** Whether an attempt of the account may begin now. */
  allows(account: string): boolean {
    if (this.#state !== 'closed' && !this.#allowsTrial(account)) return false;
    return this.#accounts.size === 0 || (this.#accounts.get(account)?.breaker.allows ?? true);
  }

  /**
   * Begins an attempt, for which exactly one of succeeded, failed, refused and abandoned must be called. It begins too
   * where `allows` is false.
   * @returns whether it is a trial after a pause, which its end must be told
   */
  begin(account: string): boolean {
    if (this.#accounts.size > 0) this.#accounts.get(account)?.breaker.begin();
    if (this.#state === 'closed' || !this.#allowsTrial(account)) return false;
    this.#trials.push(account);
    this.#enter('half_open');
    return true;
  }

  succeeded(account: string, trial: boolean): void {
    this.#endTrial(account, trial);
    const own = this.#accounts.size === 0 ? undefined : this.#accounts.get(account);
    own?.breaker.succeeded();
    this.#evidence.succeeded(own?.tally);
    if (this.#state !== 'closed') this.#close();
    if (own && !this.#evidence.hasFailed(own.tally)) this.#accounts.delete(account);
  }

  /** @param retryAfterMs what the provider asked for; the pause is at least that long, up to the longest pause */
  failed(account: string, trial: boolean, retryAfterMs = 0): void {
    this.#endTrial(account, trial);
    const { breaker, tally } = this.#accountOf(account);
    this.#evidence.failed(tally);
    breaker.failed(retryAfterMs);
    if (this.#state === 'closed') {
      if (this.#evidence.convincing) this.#open('failures', this.#pauseMs, retryAfterMs);
    } else if (this.#state === 'half_open') {
      // One account's failed trial pauses that account alone, as long as all would be.
      breaker.pause(Math.max(this.#longerPause, retryAfterMs));
      if (this.#doubter !== undefined && this.#doubter !== account) this.#open('trials', this.#longerPause, retryAfterMs);
      else this.#doubter = account;
    }
  }

  /** The request was at fault, which says that the offer answers this account, and nothing to the others. */
  refused(account: string, trial: boolean): void {
    this.#endTrial(account, trial);
    this.#accounts.get(account)?.breaker.succeeded();
  }

  /** The attempt ended for reasons of the client. */
  abandoned(account: string, trial: boolean): void {
    this.#endTrial(account, trial);
    this.#accounts.get(account)?.breaker.abandoned();
  }

  /** A probe of the gateway's own failed: it confirms what an account has met, or counts as any other failure. */
  probeFailed(retryAfterMs = 0): void {
    if (this.state === 'open') return;
    this.#evidence.probeFailed();
    if (this.#state !== 'closed') this.#open('probes', this.#longerPause, retryAfterMs);
    else if (this.#evidence.convincing || this.openAccounts > 0) this.#open('probes', this.#pauseMs, retryAfterMs);
  }

  /** Makes open circuits half open, because the provider is known to answer again. */
  endPause(): void {
    if (this.#state === 'open') this.#opensAt = this.clock.now();
    for (const { breaker } of this.#accounts.values()) breaker.endPause();
  }

  /** Whether a failure of the account, which is about to be counted, says something about the offer. */
  weighs(account: string): boolean {
    const own = this.#accounts.get(account);
    return !own || this.#evidence.weighs(own.tally);
  }

  #allowsTrial(account: string): boolean {
    return this.state === 'half_open' && this.#trials.length < MAX_TRIALS && !this.#trials.includes(account);
  }

  #endTrial(account: string, trial: boolean): void {
    if (trial) this.#trials = this.#trials.filter((one) => one !== account);
  }

  get #longerPause(): number {
    return Math.min(this.#pauseMs * 2, breakerSettings.longestPauseMs);
  }

  #accountOf(account: string): AccountCircuit {
    let own = this.#accounts.get(account);
    if (own) return own;
    if (this.#accounts.size >= MAX_ACCOUNTS) this.#forgetOldest();
    const breaker = new CircuitBreaker(this.clock, (state) => this.onChange(state, account));
    own = { breaker, tally: new Tally() };
    this.#accounts.set(account, own);
    return own;
  }

  #forgetOldest(): void {
    for (const [account, { breaker }] of this.#accounts) {
      this.#accounts.delete(account);
      if (breaker.state !== 'closed') this.onChange('closed', account);
      return;
    }
  }

  #open(reason: CircuitReason, pauseMs: number, retryAfterMs: number): void {
    this.#reason = reason;
    this.#pauseMs = pauseMs;
    this.#opensAt = this.clock.now() + Math.min(Math.max(pauseMs, retryAfterMs), breakerSettings.longestPauseMs);
    this.#doubter = undefined;
    this.#trials = [];
    this.#enter('open');
  }

  /** The accounts that have met the outage may try at once. */
  #close(): void {
    this.#pauseMs = breakerSettings.pauseMs;
    this.#doubter = undefined;
    this.#evidence.forget();
    this.endPause();
    this.#enter('closed');
  }

  #enter(state: BreakerState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#changedAt = this.clock.now();
    this.onChange(state);
  }
}
