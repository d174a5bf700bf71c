import { v7 as uuidv7 } from 'uuid';
import type { Environment } from '../auth/principal.js';
import type { HoldRequest } from './ledger.js';
import { emptyPurse, type Lease, type Purse, reconcile, take } from './lease-protocol.js';
import type { BalanceKey } from './stored-books.js';
import { type Admission, admit } from './worst-case.js';

/** Milliseconds between two asks ahead of need: an account that runs empty has little to give. */
const REFILL_INTERVAL = 100;

/** Money that this process may spend until its deadline. */
export class HeldLease {
  readonly id = uuidv7();
  readonly purse: Purse = emptyPurse();
  /** The store has answered about it: it must not be opened again under this name. */
  opened = false;
  /** Monotonic milliseconds after which nothing more is held from it, well before others may reap it. */
  deadline = 0;
  /** Free nano-credits below which more is asked for ahead of need. */
  refillBelow = 0n;

  constructor(readonly account: BalanceKey) {}

  renewed(row: Readonly<Lease>, flushed: bigint, deadline: number): void {
    reconcile(this.purse, row, flushed);
    this.opened = true;
    this.deadline = deadline;
    this.refillBelow = (row.granted - row.spent) / 4n;
  }
}

/** A request that memory cannot pay for: the store has to be asked. */
export interface Waiter {
  readonly request: HoldRequest;
  readonly resolve: (lease: HeldLease, admission: Admission) => void;
  readonly reject: (error: Error) => void;
  /** The store has answered an ask for this one. */
  asked: boolean;
}

/** What this process has of one balance. */
export class Wallet {
  lease: HeldLease | undefined;
  readonly waiting: Waiter[] = [];
  /** Something was held since the last heartbeat. */
  active = false;
  /** More money is wanted before anybody waits for it. */
  refill = false;
  #refillNotBefore = 0;

  constructor(readonly account: BalanceKey) {}

  get idle(): boolean {
    return this.lease === undefined && this.waiting.length === 0;
  }

  /** Takes `amount` from memory. */
  take(amount: bigint, now: number): HeldLease | undefined {
    const { lease } = this;
    if (!lease || this.waiting.length > 0 || now >= lease.deadline || !take(lease.purse, amount)) return undefined;
    this.active = true;
    if (lease.purse.free < lease.refillBelow && now >= this.#refillNotBefore) {
      this.#refillNotBefore = now + REFILL_INTERVAL;
      this.refill = true;
    }
    return lease;
  }

  /** What the next ask is for: all that wait, as far as the account can pay for them together. */
  need(available: bigint): bigint | undefined {
    const free = this.lease?.purse.free ?? 0n;
    let left = free + available;
    let served = 0n;
    for (const { request } of this.waiting) {
      const admission = admit(request, left);
      if (!admission) continue;
      left -= admission.amount;
      served += admission.amount;
    }
    if (served === 0n && this.waiting.length > 0) return undefined;
    return served > free ? served - free : 0n;
  }

  /**
   * Serves who waits, in their order, from what is free now. Nobody's tokens are lowered, and nobody is passed over, before the store was asked.
   * Answers those for whom the store had nothing.
   */
  serve(now: number): Waiter[] {
    const refused: Waiter[] = [];
    const { lease } = this;
    while (this.waiting.length > 0) {
      const [waiter] = this.waiting as [Waiter];
      const { request, asked } = waiter;
      const usable = lease !== undefined && now < lease.deadline;
      const admission = usable ? admit(asked ? request : { ...request, maxTokensMayShrink: false }, lease.purse.free) : undefined;
      if (!admission && !asked) break;
      this.waiting.shift();
      if (admission && take(lease!.purse, admission.amount)) {
        this.active = true;
        waiter.resolve(lease!, admission);
      } else refused.push(waiter);
    }
    return refused;
  }
}

/** By account and environment; those that hold nothing are forgotten. */
export class Wallets {
  readonly #wallets = new Map<string, Map<Environment, Wallet>>();

  of({ accountId, environment }: BalanceKey): Wallet {
    let ofAccount = this.#wallets.get(accountId);
    if (!ofAccount) this.#wallets.set(accountId, (ofAccount = new Map()));
    let wallet = ofAccount.get(environment);
    if (!wallet) ofAccount.set(environment, (wallet = new Wallet({ accountId, environment })));
    return wallet;
  }

  *[Symbol.iterator](): Generator<Wallet> {
    for (const ofAccount of this.#wallets.values()) yield* ofAccount.values();
  }

  forget({ account: { accountId, environment } }: Wallet): void {
    const ofAccount = this.#wallets.get(accountId);
    ofAccount?.delete(environment);
    if (ofAccount?.size === 0) this.#wallets.delete(accountId);
  }
}
