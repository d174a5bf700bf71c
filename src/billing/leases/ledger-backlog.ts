import { IndexedSet } from '../../common/collections/indexed-set.js';
import { HeldLease } from '../hold/held-lease.js';
import type { LeasedHold } from '../hold/leased-hold.js';
import { ledgerUnavailable } from '../hold/ledger-errors.js';
import { replyTo } from '../hold/purse.js';
import type { Wallet } from '../hold/wallet.js';
import type { Wallets } from '../hold/wallets.js';
import { type LeaseReturn, type LedgerAnswer, MAX_BATCH } from './ledger-batch.js';
import { type Asking, type Finished, pendingFlush, type PendingFlush } from './pending-flush.js';

/**
 * Milliseconds for which a request may be open before the store learns of it: most end sooner, and cost one row less.
 */
const UNKNOWN_FOR = 100;

/** What this process has done and the store does not know, and what it wants of the store. */
export class LedgerBacklog {
  readonly open = new IndexedSet<LeasedHold>();
  /**
   * Requests that the store is not told of yet, in the order of their beginnings. Those that have ended are skipped.
   */
  #begun: LeasedHold[] = [];
  /** Requests that have come further than the store was told. Those that have ended are skipped. */
  #advanced: LeasedHold[] = [];
  #finished: Finished[] = [];
  /** More money is wanted for them. */
  readonly #wanting = new Set<Wallet>();
  /** Their recall is to be answered. */
  readonly #recalled = new Set<Wallet>();
  /** Requests wait there for the answers of other processes. */
  readonly #short = new Set<Wallet>();
  /** The store was told something of these leases and has not answered. */
  readonly #doubtful = new Set<HeldLease>();

  constructor(
    private readonly wallets: Wallets,
    /** Milliseconds for which a request waits for other processes' answers to a recall. */
    private readonly recallWait: number,
  ) {}

  get finished(): readonly Finished[] {
    return this.#finished;
  }

  /**
   * Somebody waits for money, here or at another process; or money is to be collected; or as many requests have ended
   * as one transaction takes.
   */
  get urgent(): boolean {
    const finished = this.#finished;
    return (
      this.#wanting.size + this.#recalled.size > 0 ||
      finished.length >= MAX_BATCH ||
      finished.some(({ ending }) => ending.charge.excess > 0n)
    );
  }

  /** Requests wait here for the answers of other processes. */
  get short(): boolean {
    return this.#short.size > 0;
  }

  /** The store does not know all that it should of open requests. */
  get stale(): boolean {
    const known = this.wallets.clock.now() - UNKNOWN_FOR;
    return this.#advanced.length > 0 || this.#begun.some((hold) => hold.startedAt <= known && this.open.has(hold));
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

  ended(hold: LeasedHold, ending: Finished['ending']): void {
    this.open.delete(hold);
    this.#finished.push({ number: hold.number, lease: hold.lease, shares: hold.shares, ending });
  }

  wanted(wallet: Wallet): void {
    this.#wanting.add(wallet);
  }

  /** Another process asks for the money that is not used here. */
  recalled(wallet: Wallet, number: bigint): void {
    if (number > wallet.recall) wallet.recall = number;
    if (wallet.lease && wallet.lease.recalled < wallet.recall) this.#recalled.add(wallet);
  }

  /** Wants money again for the requests that wait for other processes. */
  askAgain(): void {
    for (const wallet of this.#short) this.wanted(wallet);
    this.#short.clear();
  }

  /**
   * Gathers one transaction. What was sent before and not confirmed comes first.
   * @param heartbeat renews the leases, and gives back the money that nobody has asked for since the last heartbeat
   * @param all gives back every free credit
   * @param failing the store did not answer the last time: what is leased may be all that there will be, and is kept
   */
  compose(heartbeat: boolean, all: boolean, failing = false): PendingFlush {
    const finished = this.#finished.slice(0, MAX_BATCH);
    for (const { ending } of finished) ending.sent = true;
    const begun = this.#takeBegun();
    const advanced = this.#takeAdvanced();
    const asking = this.#ask(!all);
    const leases = new Set<HeldLease>(this.#doubtful);
    const returns: LeaseReturn[] = [];
    for (const { wallet, lease } of asking) if (wallet.surrender()) returns.push(returnAll(lease));
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
    for (const { lease, shares } of finished) {
      if (lease) leases.add(lease);
      if (shares) for (const share of shares.leases) leases.add(share);
    }
    for (const { lease } of [...begun, ...asking]) leases.add(lease!);
    return pendingFlush({ finished, begun, advanced, asking, returns, leases });
  }

  /**
   * The store has confirmed a flush: what it answers about the leases counts, and those who wait are served or refused.
   * @param deadline monotonic milliseconds until which money of the renewed leases may be held
   */
  apply({ finished, asking, leases }: PendingFlush, answer: LedgerAnswer, deadline: number): void {
    const flushed = new Map<HeldLease, bigint>();
    for (const one of finished) for (const lease of paying(one)) flushed.set(lease, (flushed.get(lease) ?? 0n) + one.ending.charge.amount);
    for (const lease of leases) {
      const amounts = answer.leases.get(lease.id);
      if (amounts) lease.renewed(amounts, flushed.get(lease) ?? 0n, deadline);
      else this.#forget(lease);
      this.#doubtful.delete(lease);
    }
    this.#finished.splice(0, finished.length);
    for (const { wallet, lease } of asking) {
      const now = this.wallets.clock.monotonic();
      // The lease for which money was wanted has run out, in the store or on the way back: the answer says nothing
      // about the account.
      const lost = wallet.lease === lease ? now >= lease.deadline : lease.opened;
      if (lost) this.wanted(wallet);
      else {
        const { posted, recall } = answer.grants.get(lease.id)!;
        if (recall !== undefined) wallet.recalls(recall, now + this.recallWait);
        wallet.serve(now);
        for (const { request, reject } of wallet.refused()) reject(wallet.refusal(request, posted));
        if (wallet.untold) this.wanted(wallet);
        else if (wallet.waiting.length > 0) this.#short.add(wallet);
      }
    }
  }

  /**
   * The store has not confirmed a flush: it may or may not have made the transaction, which can be repeated.
   * @param error refuses the requests that wait for money with 503; absent: they wait for the next flush
   */
  requeue({ begun, advanced, asking, leases }: PendingFlush, error?: Error): void {
    for (const hold of begun) hold.recorded = false;
    this.#begun.unshift(...begun);
    for (const hold of advanced) if (this.open.has(hold)) this.advanced(hold);
    for (const lease of leases) this.#doubtful.add(lease);
    for (const { wallet } of asking) {
      if (error) for (const { reject } of wallet.waiting.splice(0)) reject(ledgerUnavailable(error));
      wallet.unanswered(this.wallets.clock.monotonic());
      this.wanted(wallet);
    }
  }

  /**
   * The store will never take a flush that was requeued: what its requests cost is free again in the lease, and a loss
   * of the house.
   */
  discard({ finished, begun, advanced }: PendingFlush): void {
    this.#finished.splice(0, finished.length);
    this.#begun = this.#begun.filter((hold) => !begun.includes(hold));
    this.#advanced = this.#advanced.filter((hold) => !advanced.includes(hold));
    for (const hold of begun) hold.recorded = true;
    for (const hold of advanced) hold.advanced = false;
    for (const one of finished)
      for (const { purse } of paying(one)) {
        purse.unflushed -= one.ending.charge.amount;
        purse.free += one.ending.charge.amount;
      }
  }

  /** A flush of the first ending alone, after one with others was refused. */
  single(): PendingFlush {
    const finished = this.#finished.slice(0, 1);
    const leases = new Set(finished.flatMap(paying));
    return { ...pendingFlush({ finished, begun: [], advanced: [], asking: [], returns: [], leases }), empty: false };
  }

  #takeBegun(): LeasedHold[] {
    const known = this.wallets.clock.now() - UNKNOWN_FOR;
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

  /** Leaves out requests that the store is not told of yet: it has no row that could say how far they have come. */
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

  /** @param ahead also for those of whom nobody waits yet */
  #ask(ahead: boolean): Asking[] {
    const asking: Asking[] = [];
    for (const wallet of this.#wanting) {
      if (wallet.waiting.length === 0 && !(wallet.refill && ahead)) continue;
      wallet.refill = false;
      wallet.lease ??= new HeldLease(wallet.account);
      asking.push({ wallet, lease: wallet.lease });
    }
    this.#wanting.clear();
    return asking;
  }

  #forget(lease: HeldLease): void {
    const wallet = this.wallets.find(lease.account);
    if (wallet?.lease === lease) wallet.lease = undefined;
  }
}

/** The lease of a request and its shares of budgets: each pays what was charged. */
function paying({ lease, shares }: Finished): readonly HeldLease[] {
  return lease ? [lease, ...(shares?.leases ?? [])] : [];
}

/**
 * Takes all that is free out of a lease, to be given back.
 * @param recalled the recall that this answers, if it answers one
 */
function returnAll({ id, account, purse }: HeldLease, recalled?: bigint): LeaseReturn {
  const { free } = purse;
  purse.free = 0n;
  return { leaseId: id, account, amount: free, recalled };
}
