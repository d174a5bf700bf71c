import { insufficientCredits, ledgerUnavailable } from '../hold/ledger-errors.js';
import { replyTo } from '../hold/purse.js';
import { type GrantRequest, type LeaseReturn, type LedgerAnswer, type LedgerBatch, MAX_BATCH } from './ledger-batch.js';
import { IndexedSet } from '../../common/indexed-set.js';
import type { LeasedHold } from '../hold/leased-hold.js';
import type { Ending, Progress } from '../hold/request-facts.js';
import { HeldLease } from '../hold/held-lease.js';
import type { Wallet } from '../hold/wallet.js';
import type { Wallets } from '../hold/wallets.js';

/** Milliseconds for which a request may be open before the store learns of it: most end sooner, and cost one row less. */
const UNKNOWN_FOR = 100;

export interface Finished {
  readonly hold: LeasedHold;
  readonly ending: Ending;
}

interface Asking {
  readonly wallet: Wallet;
  readonly lease: HeldLease;
}

/** What one transaction is about, and on whose behalf. */
export interface PendingFlush {
  readonly batch: LedgerBatch;
  readonly finished: readonly Finished[];
  readonly begun: readonly LeasedHold[];
  readonly advanced: readonly LeasedHold[];
  readonly asking: readonly Asking[];
  /** Every lease that the store will answer about. */
  readonly leases: ReadonlySet<HeldLease>;
  readonly empty: boolean;
}

/** What this process has done and the store does not know, and what it wants of the store. */
export class LedgerBacklog {
  readonly open = new IndexedSet<LeasedHold>();
  /** Of which the store is to be told, in the order of their beginnings; and how far they have come. Those among them that have ended count no more. */
  #begun: LeasedHold[] = [];
  #advanced: LeasedHold[] = [];
  #finished: Finished[] = [];
  readonly #wanting = new Set<Wallet>();
  /** Whose recall is to be answered. */
  readonly #recalled = new Set<Wallet>();
  /** Who waits for the answers of others. */
  readonly #short = new Set<Wallet>();
  /** Leases of which the store has been told something without an answer. */
  readonly #doubtful = new Set<HeldLease>();

  constructor(
    private readonly wallets: Wallets,
    /** Milliseconds for which others' answers to a recall are waited for. */
    private readonly recallWait: number,
  ) {}

  get finished(): readonly Finished[] {
    return this.#finished;
  }

  /** Somebody waits for money, here or elsewhere. */
  get urgent(): boolean {
    return this.#wanting.size + this.#recalled.size > 0;
  }

  /** Somebody here waits for the answers of others. */
  get short(): boolean {
    return this.#short.size > 0;
  }

  /** The store is behind with what is open. */
  get stale(): boolean {
    return this.#begun.length + this.#advanced.length > 0;
  }

  begun(hold: LeasedHold): void {
    this.open.add(hold);
    if (hold.lease) this.#begun.push(hold);
  }

  advanced(hold: LeasedHold): void {
    if (!hold.lease || hold.advanced) return;
    hold.advanced = true;
    this.#advanced.push(hold);
  }

  ended(hold: LeasedHold, ending: Ending): void {
    this.open.delete(hold);
    this.#finished.push({ hold, ending });
  }

  wanted(wallet: Wallet): void {
    this.#wanting.add(wallet);
  }

  /** Another process asks for what is not used here. */
  recalled(wallet: Wallet, number: bigint): void {
    if (number > wallet.recall) wallet.recall = number;
    if (wallet.lease && wallet.lease.recalled < wallet.recall) this.#recalled.add(wallet);
  }

  /** Asks again for those who wait for the answers of others. */
  askAgain(): void {
    for (const wallet of this.#short) this.wanted(wallet);
    this.#short.clear();
  }

  /**
   * Gathers one transaction; what was sent and not answered comes first again.
   * @param heartbeat renews the leases, and gives back the money that nobody has asked for since the last time
   * @param all gives back every free credit
   * @param failing the store did not answer the last time: what is leased may be all that there will be, and is kept
   */
  compose(heartbeat: boolean, all: boolean, failing = false): PendingFlush {
    const finished = this.#finished.slice(0, MAX_BATCH);
    const begun = this.#takeBegun();
    const advanced = this.#takeAdvanced();
    const asking = this.#ask();
    const leases = new Set<HeldLease>(this.#doubtful);
    const returns: LeaseReturn[] = [];
    for (const wallet of this.#recalled) {
      const { lease, recall } = wallet;
      if (lease && lease.recalled < recall) {
        leases.add(lease);
        returns.push(returnAll(lease, replyTo(recall, this.#doubtful.has(lease))));
      } else this.#recalled.delete(wallet);
    }
    if (heartbeat) {
      for (const wallet of this.wallets) {
        if (wallet.idle) this.wallets.forget(wallet);
        const { lease, active } = wallet;
        if (lease) leases.add(lease);
        if (failing && !all) continue;
        wallet.active = false;
        if (!lease) continue;
        if ((active && !all) || asking.some((ask) => ask.lease === lease)) continue;
        returns.push(returnAll(lease));
      }
    }
    for (const { hold } of finished) if (hold.lease) leases.add(hold.lease);
    for (const { lease } of [...begun, ...asking]) leases.add(lease!);
    const grants = asking.map(({ wallet, lease }): GrantRequest => ({
      leaseId: lease.id,
      account: lease.account,
      opens: !lease.opened,
      demand: (supply) => wallet.demand(supply),
    }));
    const batch: LedgerBatch = {
      begins: begun.map(({ facts }) => facts),
      progress: advanced.map(({ request, price, delivered }): Progress => ({ requestId: request.requestId, price, ...delivered })),
      endings: finished.map(({ ending }) => ending),
      returns,
      grants,
      renews: Array.from(leases, ({ id }) => id),
    };
    const empty = finished.length + begun.length + advanced.length + leases.size === 0;
    return { batch, finished, begun, advanced, asking, leases, empty };
  }

  /** @param deadline monotonic milliseconds until which the renewed leases may be held from */
  apply({ finished, asking, leases }: PendingFlush, answer: LedgerAnswer, deadline: number): void {
    const flushed = new Map<HeldLease, bigint>();
    for (const { hold, ending } of finished)
      if (hold.lease) flushed.set(hold.lease, (flushed.get(hold.lease) ?? 0n) + ending.charge.amount);
    for (const lease of leases) {
      const row = answer.leases.get(lease.id);
      if (row) lease.renewed(row, flushed.get(lease) ?? 0n, deadline);
      else this.#dropped(lease);
      this.#doubtful.delete(lease);
    }
    this.#finished.splice(0, finished.length);
    for (const { wallet, lease } of asking) {
      const now = performance.now();
      // The lease that the ask was for has run out, in the store or on the way back: the answer says nothing about the account.
      const lost = wallet.lease === lease ? now >= lease.deadline : lease.opened;
      if (lost) this.wanted(wallet);
      else {
        const { posted, recall } = answer.grants.get(lease.id)!;
        if (recall !== undefined) wallet.recalls(recall, now + this.recallWait);
        wallet.serve(now);
        for (const { request, reject } of wallet.refused()) reject(insufficientCredits(request, posted));
        if (wallet.untold) this.wanted(wallet);
        else if (wallet.waiting.length > 0) this.#short.add(wallet);
      }
    }
  }

  /**
   * The store has not answered: it may or may not have taken the flush.
   * @param error what those who wait are told; absent: they wait for the next flush
   */
  requeue({ begun, advanced, asking, leases }: PendingFlush, error?: Error): void {
    for (const hold of begun) hold.recorded = false;
    this.#begun.unshift(...begun);
    for (const hold of advanced) if (this.open.has(hold)) this.advanced(hold);
    for (const lease of leases) this.#doubtful.add(lease);
    for (const { wallet } of asking) {
      if (error) for (const { reject } of wallet.waiting.splice(0)) reject(ledgerUnavailable(error));
      wallet.unanswered(performance.now());
      this.wanted(wallet);
    }
  }

  /** The store will never take these: the money they cost is free again, and a loss of the house. */
  discard({ finished, begun, advanced }: PendingFlush): void {
    this.#finished.splice(0, finished.length);
    this.#begun = this.#begun.filter((hold) => !begun.includes(hold));
    this.#advanced = this.#advanced.filter((hold) => !advanced.includes(hold));
    for (const hold of begun) hold.recorded = true;
    for (const hold of advanced) hold.advanced = false;
    for (const { hold, ending } of finished) {
      if (!hold.lease) continue;
      hold.lease.purse.unflushed -= ending.charge.amount;
      hold.lease.purse.free += ending.charge.amount;
    }
  }

  /** One ending alone, after a flush with others was refused. */
  single(): PendingFlush {
    const finished = this.#finished.slice(0, 1);
    const leases = new Set(finished.flatMap(({ hold }) => hold.lease ?? []));
    const batch: LedgerBatch = {
      begins: [],
      progress: [],
      endings: finished.map(({ ending }) => ending),
      returns: [],
      grants: [],
      renews: [],
    };
    return { batch, finished, begun: [], advanced: [], asking: [], leases, empty: false };
  }

  #takeBegun(): LeasedHold[] {
    const known = Date.now() - UNKNOWN_FOR;
    const taken: LeasedHold[] = [];
    const left: LeasedHold[] = [];
    for (const hold of this.#begun) {
      if (!this.open.has(hold)) continue;
      hold.recorded = hold.startedAt <= known && taken.length < MAX_BATCH;
      (hold.recorded ? taken : left).push(hold);
    }
    this.#begun = left;
    return taken;
  }

  /** Of a request that the store is not told of yet there is no row that could say how far it has come. */
  #takeAdvanced(): LeasedHold[] {
    const taken: LeasedHold[] = [];
    const left: LeasedHold[] = [];
    for (const hold of this.#advanced) {
      if (!this.open.has(hold)) continue;
      hold.advanced = !hold.recorded || taken.length >= MAX_BATCH;
      (hold.advanced ? left : taken).push(hold);
    }
    this.#advanced = left;
    return taken;
  }

  #ask(): Asking[] {
    const asking: Asking[] = [];
    for (const wallet of this.#wanting) {
      if (wallet.waiting.length === 0 && !wallet.refill) continue;
      wallet.refill = false;
      wallet.lease ??= new HeldLease(wallet.account);
      asking.push({ wallet, lease: wallet.lease });
    }
    this.#wanting.clear();
    return asking;
  }

  #dropped(lease: HeldLease): void {
    const wallet = this.wallets.of(lease.account);
    if (wallet.lease === lease) wallet.lease = undefined;
  }
}

/** All that is free of a lease; answers a recall where it is given one. */
function returnAll({ id, account, purse }: HeldLease, recalled?: bigint): LeaseReturn {
  const { free } = purse;
  purse.free = 0n;
  return { leaseId: id, account, amount: free, recalled };
}
