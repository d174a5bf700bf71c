import type { ApiError } from '../../common/api-error.js';
import type { Clock } from '../../common/time/clock.js';
import type { BalanceKey } from '../balance-key.js';
import type { BudgetPeriod } from './budget-period.js';
import type { Demand, Supply } from './demand.js';
import type { HeldLease } from './held-lease.js';
import { budgetExceeded, insufficientCredits, ledgerUnavailable } from './ledger-errors.js';
import type { HoldRequest } from './ledger.js';
import { lastWord, take } from './purse.js';
import { type Admission, admit } from './worst-case.js';

/** Milliseconds between two refills ahead of need: an account that runs empty has little to give. */
const REFILL_INTERVAL = 100;

/** A request that memory cannot pay for, so that the store has to be asked. */
interface Waiter {
  readonly request: HoldRequest;
  readonly resolve: (lease: HeldLease, admission: Admission) => void;
  readonly reject: (error: Error) => void;
  /**
   * What the store has said.
   *
   * - `new`    nothing yet
   * - `short`  that there is too little, and other processes are asked for theirs; or it has not answered at all
   * - `final`  that there is too little, and no more will come
   */
  state: 'new' | 'short' | 'final';
  /** The number of the recall that was made for it. */
  recall: bigint | undefined;
  /** Monotonic milliseconds after which other processes' answers are not waited for. */
  until: number;
}

/** What this process has of one balance, or of one budget. */
export class Wallet {
  lease: HeldLease | undefined;
  /** In the order of their arrival. */
  readonly waiting: Waiter[] = [];
  /** The last recall of this balance that was heard of, whoever made it. */
  recall = 0n;
  /** Something was held since the last heartbeat. */
  active = false;
  /** More money is wanted before anybody waits for it. */
  refill = false;
  #refillNotBefore = 0;
  #limitLowered = false;

  constructor(
    readonly account: BalanceKey,
    private readonly clock: Clock,
    private period?: BudgetPeriod,
  ) {}

  /** The budget whose share this is, with its limit as the last request had it; absent: it is a balance. */
  get budget(): BudgetPeriod | undefined {
    return this.period;
  }

  /** Takes over a limit that may have changed: what was shared out under a higher one is to be given back first. */
  limitedBy(period: BudgetPeriod): void {
    if (this.period && period.limit < this.period.limit) this.#limitLowered = true;
    this.period = period;
  }

  /** What is free must not be used, because the limit is lower than when it was granted. It is after the call. */
  surrender(): boolean {
    const lowered = this.#limitLowered;
    this.#limitLowered = false;
    return lowered;
  }

  /** What those are told for whom there is nothing. @param posted nano-credits that there are in all */
  refusal(request: HoldRequest, posted: bigint): ApiError {
    return this.period ? budgetExceeded(this.period, request, posted, this.clock.now()) : insufficientCredits(request, posted);
  }

  /**
   * Whether somebody who waits is refused, other than for what the budget could never have paid. The store has answered
   * about all who wait.
   * @param posted nano-credits of the budget that are not spent
   */
  refuses(posted: bigint): boolean {
    const { period } = this;
    if (!period) return false;
    return this.waiting.some(({ state, request }) => state === 'final' && !admit(request, posted) && admit(request, period.limit));
  }

  get idle(): boolean {
    return this.lease === undefined && this.waiting.length === 0;
  }

  /** Other processes are asked for what they do not use. */
  get short(): boolean {
    return this.waiting.some(({ state }) => state === 'short');
  }

  /** The store has not been told of all who wait. New ones follow those who are short. */
  get untold(): boolean {
    return this.waiting.length > 0 && this.waiting.at(-1)!.state === 'new';
  }

  /** Holds `amount` out of what is leased, if it is there and nobody has waited longer. */
  take(amount: bigint, now: number): HeldLease | undefined {
    const { lease } = this;
    if (!lease || this.untold || this.#limitLowered || now >= lease.deadline || !take(lease.purse, amount)) return undefined;
    this.active = true;
    if (lease.purse.free < lease.refillBelow && now >= this.#refillNotBefore) {
      this.#refillNotBefore = now + REFILL_INTERVAL;
      this.refill = true;
    }
    return lease;
  }

  /** What is wanted of a supply: enough for all who wait, as far as the account can pay for them together. */
  demand({ available, elsewhere, reached }: Supply): Demand {
    const free = this.lease?.purse.free ?? 0n;
    const now = this.clock.monotonic();
    let left = free + available;
    let served = 0n;
    for (const waiter of this.waiting) {
      const { request, recall, until } = waiter;
      const final = lastWord(recall, reached) || now >= until || !admit(request, left + elsewhere);
      const admission = admit(final ? request : inFull(request), left);
      waiter.state = final ? 'final' : admission ? 'new' : 'short';
      if (!admission) continue;
      left -= admission.amount;
      served += admission.amount;
    }
    const need = served > free ? served - free : 0n;
    return {
      need: served === 0n && this.waiting.length > 0 ? undefined : need,
      short: this.short,
      recalls: this.waiting.some(({ state, recall }) => state === 'short' && recall === undefined),
    };
  }

  /**
   * Notes that a recall was made for those who are short.
   * @param until monotonic milliseconds
   */
  recalls(number: bigint, until: number): void {
    for (const waiter of this.waiting) {
      if (waiter.state !== 'short' || waiter.recall !== undefined) continue;
      waiter.recall = number;
      waiter.until = until;
    }
  }

  /**
   * The store has not answered: what it had said about those who wait may not hold any more. Those for whom enough is
   * free are served.
   */
  unanswered(now: number): void {
    for (const waiter of this.waiting)
      Object.assign(waiter, { state: 'short', recall: undefined, until: Infinity } satisfies Partial<Waiter>);
    this.serve(now);
  }

  /**
   * Lets a request wait until it is served or refused.
   * @param limit milliseconds after which it is refused with 503: whether the account can pay is not known
   */
  wait(request: HoldRequest, limit: number, resolve: Waiter['resolve'], reject: Waiter['reject']): void {
    const { clock } = this;
    const timer = clock
      .setTimeout(() => {
        const place = this.waiting.indexOf(waiter);
        if (place >= 0) this.waiting.splice(place, 1);
        reject(ledgerUnavailable());
      }, limit)
      .unref();
    const waiter: Waiter = {
      request,
      resolve(lease, admission) {
        clock.clear(timer);
        resolve(lease, admission);
      },
      reject(error) {
        clock.clear(timer);
        reject(error);
      },
      state: 'new',
      recall: undefined,
      until: Infinity,
    };
    this.waiting.push(waiter);
  }

  /**
   * Serves those who wait, in their order, from what is free now. Nobody's tokens are lowered, and nobody new is passed
   * over, before the store and the other processes that lease from the account were asked.
   */
  serve(now: number): void {
    if (this.waiting.length === 0) return;
    const left: Waiter[] = [];
    const { lease } = this;
    const usable = lease !== undefined && now < lease.deadline && !this.#limitLowered;
    let told = 0;
    for (const waiter of this.waiting) {
      const { request, state } = waiter;
      const admission = usable ? admit(state === 'final' ? request : inFull(request), lease.purse.free) : undefined;
      if (admission && take(lease!.purse, admission.amount)) {
        this.active = true;
        waiter.resolve(lease!, admission);
      } else if (state === 'new') break;
      else left.push(waiter);
      told++;
    }
    this.waiting.splice(0, told, ...left);
  }

  /** Removes those for whom there is nothing, after the store has answered and others were served. */
  refused(): Waiter[] {
    const refused = this.waiting.filter(({ state }) => state === 'final');
    if (refused.length > 0) this.waiting.splice(0, Infinity, ...this.waiting.filter(({ state }) => state !== 'final'));
    return refused;
  }
}

function inFull(request: HoldRequest): HoldRequest {
  return request.maxTokensMayShrink ? { ...request, maxTokensMayShrink: false } : request;
}
