import { randomUUIDv7 } from 'node:crypto';
import { join } from 'node:path';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Environment } from '../../auth/principal.js';
import type { Budget } from '../../auth/rules/principal-rules.js';
import { Clock, systemClock, type Timer } from '../../common/time/clock.js';
import { DeliveryBarrier } from '../../common/delivery-barrier.js';
import { ConfigService } from '../../config/config.service.js';
import { prepareDataFolder } from '../../database/data-folder.js';
import { Database } from '../../database/database.js';
import { LowBalances } from '../../webhooks/low-balances.js';
import type { BalanceKey } from '../balance-key.js';
import type { HeldLease } from '../hold/held-lease.js';
import { type HoldKeeper, LeasedHold } from '../hold/leased-hold.js';
import { ledgerUnavailable } from '../hold/ledger-errors.js';
import { type Hold, type HoldRequest, Ledger } from '../hold/ledger.js';
import type { WrittenEnding } from '../hold/request-facts.js';
import type { Shares } from '../hold/shares.js';
import type { WalletSet } from '../hold/wallet-set.js';
import type { Wallet } from '../hold/wallet.js';
import { Wallets } from '../hold/wallets.js';
import { type Admission, worstCase } from '../hold/worst-case.js';
import { Journal } from './journal.js';
import { LeaseStore } from './lease-store.js';
import { recallWait } from '../protocol/lease-timing.js';
import { LeaseWriter } from './lease-writer.js';
import { LedgerFigures } from './ledger-figures.js';
import { recoverDead } from './recover-dead.js';

/** What this process has leased, in nano-credits. */
export interface LeasedMoney {
  readonly leases: number;
  readonly free: bigint;
  /** By open requests. */
  readonly held: bigint;
}

/** Requests that may wait for money of one balance; further ones are refused with 503. */
const MAX_WAITING = 10_000;

/**
 * Milliseconds for which a request waits for the store, beside the time that other processes have to answer a recall.
 */
const STORE_WAIT = 10_000;

/**
 * Money at memory speed: the process leases credits durably, and holds and settles out of its leases in memory. Journal
 * and store are told of it while requests go on; what a crash leaves behind is settled from the two.
 */
@Injectable()
export class LeaseLedger extends Ledger implements HoldKeeper, OnModuleInit, OnApplicationShutdown {
  readonly #logger = new Logger('Ledger');
  readonly #wallets: Wallets;
  #journal: Journal;
  #writer: LeaseWriter;
  #reaper: Timer | undefined;
  /** The store answered when the reaper last asked it. */
  #answered = true;
  #number = 0;

  constructor(
    private readonly database: Database,
    private readonly config: ConfigService,
    private readonly barrier: DeliveryBarrier,
    private readonly figures: LedgerFigures,
    private readonly lowBalances?: LowBalances,
    readonly clock: Clock = systemClock,
  ) {
    super();
    this.#wallets = new Wallets(clock);
  }

  async onModuleInit(): Promise<void> {
    this.database.lockGateway();
    const { data_dir, lease_ttl, flush_interval, shared_data_dir } = this.config.current.store;
    prepareDataFolder(data_dir, shared_data_dir);
    const nodeId = randomUUIDv7();
    const folder = join(data_dir, 'journal');
    const store = new LeaseStore(this.database, nodeId, lease_ttl, this.figures, this.lowBalances);
    const recovered = await recoverDead(store, folder, this.database.engine === 'sqlite');
    if (recovered > 0) this.#logger.warn(`${recovered} requests of a process that ended early were settled`);
    this.#journal = Journal.begin(folder, nodeId, this.barrier);
    this.#writer = new LeaseWriter(store, this.#journal, lease_ttl, flush_interval, this.#wallets, this.barrier);
    this.#writer.start();
    await this.database.follow('recall', () => this.#answerRecalls(store));
    // On SQLite there is no other process whose leases could run out: what dead ones had left is settled above.
    if (this.database.engine === 'postgres') this.#reaper = this.clock.setInterval(() => void this.#reap(store), lease_ttl / 2).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    this.clock.clear(this.#reaper);
    // There is no writer where the start has failed.
    if (this.#writer) this.#journal.close(await this.#writer.stop());
  }

  override get unable(): string | undefined {
    if (this.#journal.error) return 'The journal cannot be written.';
    if (this.#writer.available) return undefined;
    const now = this.clock.monotonic();
    for (const { account, lease } of this.#wallets)
      if (lease && account.budget === undefined && now < lease.deadline && lease.purse.free > 0n) return undefined;
    return 'The store does not answer now.';
  }

  override hold(request: HoldRequest): Hold | Promise<Hold> {
    if (this.#journal.error) throw ledgerUnavailable(this.#journal.error);
    const { maxTokens } = request;
    const amount = worstCase(request, maxTokens);
    if (amount === 0n) return this.#begin(request, undefined, { amount, maxTokens });
    const budgets = request.principal.rules?.budgets;
    if (budgets && budgets.length > 0) return this.#holdWithin(budgets, request, amount);
    const wallet = this.#wallets.of(request.principal);
    const lease = wallet.take(amount, this.clock.monotonic());
    if (!lease) return this.#wait(request, wallet).then((held) => this.#begin(request, held.lease, held.admission));
    if (wallet.refill) this.#writer.wanted(wallet);
    return this.#begin(request, lease, { amount, maxTokens });
  }

  /** Holds in the budgets first, so that what they refuse is never held from the balance. */
  #holdWithin(budgets: readonly Budget[], request: HoldRequest, amount: bigint): Hold | Promise<Hold> {
    const set = this.#wallets.within(budgets, request);
    if (!set.take(amount, this.clock.monotonic())) return this.#waitWithin(set, request);
    this.#refill(set);
    return this.#begin(request, set.balance.lease, { amount, maxTokens: request.maxTokens }, set.shares);
  }

  async #waitWithin(set: WalletSet, request: HoldRequest): Promise<Hold> {
    const { lease, shares, admission } = await set.wait(request, (one, wallet) => this.#wait(one, wallet));
    this.#refill(set);
    return this.#begin(request, lease, admission, shares);
  }

  #refill({ wallets }: WalletSet): void {
    for (const wallet of wallets) if (wallet.refill) this.#writer.wanted(wallet);
  }

  /** Nano-credits that this process holds for the open requests of a balance. */
  held(account: BalanceKey): bigint {
    return this.#wallets.of(account).lease?.purse.held ?? 0n;
  }

  /** Sums over all accounts. */
  leased(environment: Environment): LeasedMoney {
    const sum = { leases: 0, free: 0n, held: 0n };
    for (const { account, lease, budget } of this.#wallets) {
      if (!lease || budget || account.environment !== environment) continue;
      sum.leases++;
      sum.free += lease.purse.free;
      sum.held += lease.purse.held;
    }
    return sum;
  }

  /** Requests that have ended here and that the store does not know to have ended. */
  get unwritten(): number {
    return this.#writer.unwritten;
  }

  served(hold: LeasedHold): void {
    this.#writer.served(hold);
  }

  promptCounted(hold: LeasedHold): void {
    this.#writer.promptCounted(hold);
  }

  progressing(hold: LeasedHold): void {
    this.#journal.catchUp(hold);
  }

  progressed(hold: LeasedHold): void {
    this.#writer.progressed(hold);
  }

  ended(hold: LeasedHold, ending: WrittenEnding): void {
    const { lease, shares } = hold;
    this.#writer.ended(hold, ending);
    const now = this.clock.monotonic();
    if (lease) this.#wallets.of(lease.account).serve(now);
    for (const { account } of shares?.leases ?? []) this.#wallets.find(account)?.serve(now);
  }

  async #reap(store: LeaseStore): Promise<void> {
    const answered = this.#answered;
    this.#answered = false;
    try {
      // While the store was away nobody could renew a lease, so that the first look afterwards only gives them the time
      // to.
      const reaped = answered ? await store.reapExpired() : 0;
      if (!answered) await store.ping();
      this.#answered = true;
      if (reaped > 0) this.#logger.warn(`${reaped} leases of gateways that have gone silent were ended`);
    } catch {
      // The writer reports a store that does not answer, and any gateway may reap the next time.
    }
  }

  async #answerRecalls(store: LeaseStore): Promise<void> {
    for (const { account, recall } of await store.recalls()) {
      const wallet = this.#wallets.find(account);
      if (wallet) this.#writer.recalled(wallet, recall);
    }
  }

  #wait(request: HoldRequest, wallet: Wallet): Promise<{ lease: HeldLease; admission: Admission }> {
    if (!this.#writer.available || wallet.waiting.length >= MAX_WAITING) return Promise.reject(ledgerUnavailable());
    return new Promise((resolve, reject) => {
      const held = (lease: HeldLease, admission: Admission) => resolve({ lease, admission });
      wallet.wait(request, recallWait(this.config.current.store.lease_ttl) + STORE_WAIT, held, reject);
      this.#writer.wanted(wallet);
    });
  }

  #begin(request: HoldRequest, lease: HeldLease | undefined, admission: Admission, shares?: Shares): Hold {
    const hold = new LeasedHold(this.#number++, request, lease, admission, this, shares);
    this.#writer.begun(hold);
    return hold;
  }
}
