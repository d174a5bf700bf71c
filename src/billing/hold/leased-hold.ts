import type { Clock } from '../../common/time/clock.js';
import { type Price, samePrice } from '../../common/prices/credits.js';
import type { HeldLease } from './held-lease.js';
import type { Hold, HoldRequest, PromptCount, Settlement } from './ledger.js';
import { pay, payable, settle } from './purse.js';
import type { Delivered, RequestFacts, WrittenEnding } from './request-facts.js';
import { settleCharge, toldBeyond } from './settle-charge.js';
import type { Shares } from './shares.js';
import type { Admission } from './worst-case.js';

/** What a hold tells its ledger. */
export interface HoldKeeper {
  readonly clock: Pick<Clock, 'now'>;
  /** To be called before more counts as delivered. */
  progressing(hold: LeasedHold): void;
  progressed(hold: LeasedHold): void;
  served(hold: LeasedHold): void;
  promptCounted(hold: LeasedHold): void;
  ended(hold: LeasedHold, ending: WrittenEnding): void;
}

/** The money of one request, held in memory out of a lease. */
export class LeasedHold implements Hold {
  readonly maxTokens: number;
  readonly startedAt: number;
  readonly delivered: { -readonly [Name in keyof Delivered]: Delivered[Name] } = { promptTokens: 0, completionTokens: 0 };
  index = -1;
  /** The store knows of the request, or is being told. */
  recorded = false;
  /** The request has come further than the store was told. */
  advanced = false;
  /** The tick in which the journal was asked for a line of progress; undefined while none is due. */
  deferredAt: number | undefined;
  /** The price of the dearest candidate, and later that of the offer that answers. */
  price: Price;
  readonly amount: bigint;
  #charged: bigint | undefined;
  #ending: WrittenEnding | undefined;

  constructor(
    /** The request's name in the journal. */
    readonly number: number,
    readonly request: HoldRequest,
    /** Absent where nothing is held. */
    readonly lease: HeldLease | undefined,
    admission: Admission,
    private readonly keeper: HoldKeeper,
    /** The shares of the budgets that limit the request, which have held as much as the lease; absent: none do. */
    readonly shares?: Shares,
  ) {
    this.startedAt = keeper.clock.now();
    this.amount = admission.amount;
    this.maxTokens = admission.maxTokens;
    this.price = request.price;
  }

  get facts(): RequestFacts {
    const { requestId, principal, operation, model } = this.request;
    return {
      requestId,
      principal,
      operation,
      model,
      price: this.price,
      leaseId: this.lease?.id,
      shares: this.shares?.ids,
      hold: this.amount,
      startedAt: this.startedAt,
    };
  }

  get settled(): boolean {
    return this.#charged !== undefined;
  }

  progress(completionTokens: number, promptTokens?: number): void {
    if (this.#charged !== undefined) return;
    this.keeper.progressing(this);
    this.delivered.completionTokens = completionTokens;
    if (promptTokens !== undefined) this.delivered.promptTokens = promptTokens;
    this.keeper.progressed(this);
  }

  promptCounted(prompts: readonly PromptCount[]): void {
    if (this.#charged !== undefined || !this.price.components) return;
    this.delivered.prompts = prompts;
    this.keeper.promptCounted(this);
  }

  servedAt(price: Price): void {
    if (this.#charged !== undefined || samePrice(price, this.price)) return;
    this.price = price;
    this.keeper.served(this);
  }

  settle(settlement: Settlement): bigint {
    if (this.#charged !== undefined) return this.#charged;
    const counted = toldBeyond(settlement, this.amount, this.price, this.startedAt);
    const { due, ...what } = settleCharge(counted, this.amount, this.price, this.startedAt);
    this.#charged = due;
    const excess = this.#pay(due);
    const { outcome, estimated, provider } = counted;
    const charge = { ...what, amount: due - excess, excess };
    this.#ending = { request: this.facts, charge, outcome, estimated, provider, endedAt: this.keeper.clock.now() };
    this.keeper.ended(this, this.#ending);
    return due;
  }

  /** @returns what neither the lease nor the shares pay */
  #pay(due: bigint): bigint {
    const { lease, shares } = this;
    if (!lease) return due;
    if (!shares) return settle(lease.purse, this.amount, due);
    let paid = payable(lease.purse, this.amount, due);
    for (const { purse } of shares.leases) paid = payable(purse, this.amount, paid);
    pay(lease.purse, this.amount, paid);
    for (const { purse } of shares.leases) pay(purse, this.amount, paid);
    return due - paid;
  }

  keepRecord(record: string): boolean {
    if (!this.#ending || this.#ending.sent) return false;
    this.#ending.record = record;
    return true;
  }
}
