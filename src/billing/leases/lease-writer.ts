import { Logger } from '@nestjs/common';
import type { Clock, Timer } from '../../common/time/clock.js';
import type { DeliveryBarrier } from '../../common/delivery-barrier.js';
import { isConstraintViolation } from '../../database/store-error.js';
import type { LeasedHold } from '../hold/leased-hold.js';
import type { WrittenEnding } from '../hold/request-facts.js';
import type { Wallet } from '../hold/wallet.js';
import type { Wallets } from '../hold/wallets.js';
import { deliverFirst } from './deliver-first.js';
import { beginLine, endLine, progressLine, promptLine, servedLine } from './journal-record.js';
import type { Journal } from './journal.js';
import type { LeaseStore } from './lease-store.js';
import { recallWait, renewalInterval, usableUntil } from '../protocol/lease-timing.js';
import { LedgerBacklog } from './ledger-backlog.js';
import { MAX_BATCH } from './ledger-batch.js';
import { logRefused } from './log-refused.js';
import type { PendingFlush } from './pending-flush.js';
import { rowOf } from './usage-rows.js';

/** Milliseconds for which endings are gathered into one transaction, where none was made lately. */
const FLUSH_DELAY = 12;
/** Milliseconds after which the store is told how far open requests have come. */
const PROGRESS_INTERVAL = 100;
/** Milliseconds after which a store that has not answered is asked again. */
const RETRY_DELAY = 250;
/**
 * Milliseconds without the store for which requests wait; later ones are refused at once. Connections break, and
 * servers are restarted.
 */
const PATIENCE = 1_000;
/** Milliseconds after which the store is asked again on behalf of requests that wait for other processes' money. */
const RECALL_INTERVAL = 20;
/**
 * Milliseconds that the process waits at its end for the store to take the last endings; the journal keeps the others.
 */
const DRAIN_TIMEOUT = 5_000;

/**
 * Tells journal and store what requests have done, and asks for money, while the requests go on. One transaction is
 * under way at a time.
 */
export class LeaseWriter {
  readonly #logger = new Logger('Ledger');
  readonly #backlog: LedgerBacklog;
  readonly #clock: Clock;
  readonly #intervals: Timer[] = [];
  #timer: Timer | undefined;
  #recall: Timer | undefined;
  #running: Promise<void> | undefined;
  #urgent = false;
  #heartbeat = false;
  #stopping = false;
  /** Monotonic milliseconds of the first attempt that failed; undefined while the store answers. */
  #failingSince: number | undefined;
  #lastAttempt = 0;

  constructor(
    private readonly store: LeaseStore,
    private readonly journal: Journal,
    /** Milliseconds until the store may reap a lease that was not renewed. */
    private readonly ttl: number,
    /** Milliseconds between two transactions while few requests come. */
    private readonly flushInterval: number,
    wallets: Wallets,
    private readonly barrier: DeliveryBarrier,
  ) {
    this.#clock = wallets.clock;
    this.#backlog = new LedgerBacklog(wallets, recallWait(ttl));
  }

  start(): void {
    const progress = () => {
      if (this.journal.error) this.journal.rotate(this.#lines());
      if (this.#backlog.stale) this.#soon();
    };
    const heartbeat = () => {
      this.#heartbeat = true;
      this.#soon();
    };
    const clock = this.#clock;
    this.#intervals.push(
      clock.setInterval(progress, PROGRESS_INTERVAL).unref(),
      clock.setInterval(heartbeat, renewalInterval(this.ttl)).unref(),
    );
  }

  /** False while the journal cannot be written, or the store has not answered for longer than a request waits. */
  get available(): boolean {
    return !this.journal.error && (this.#failingSince === undefined || this.#clock.monotonic() - this.#failingSince < PATIENCE);
  }

  get #failing(): boolean {
    return this.#failingSince !== undefined;
  }

  get unwritten(): number {
    return this.#backlog.finished.length;
  }

  begun(hold: LeasedHold): void {
    this.#backlog.begun(hold);
    this.journal.write(beginLine(hold.number, hold.facts));
  }

  progressed(hold: LeasedHold): void {
    this.#backlog.advanced(hold);
    this.journal.writeProgress(hold);
  }

  served(hold: LeasedHold): void {
    this.#backlog.advanced(hold);
    this.journal.write(servedLine(hold.number, hold.price));
  }

  promptCounted(hold: LeasedHold): void {
    this.journal.write(promptLine(hold.number, hold.delivered.prompts!));
  }

  ended(hold: LeasedHold, ending: WrittenEnding): void {
    const row = rowOf(ending);
    ending.row = row;
    this.#backlog.ended(hold, ending);
    this.journal.write(endLine(hold.number, row, ending.charge.excess));
    if (this.#failing) this.#gather();
    else if (ending.charge.excess > 0n) this.#soon();
    else if (this.#backlog.finished.length === MAX_BATCH) this.#later(FLUSH_DELAY);
    else this.#gather();
  }

  /** Money is wanted: a request waits for it, or soon would. */
  wanted(wallet: Wallet): void {
    this.#backlog.wanted(wallet);
    // While the store does not answer, the retry asks for all who wait.
    if (!this.#failing) this.#soon();
  }

  /** Another process asks for the money that is not used here. */
  recalled(wallet: Wallet, number: bigint): void {
    this.#backlog.recalled(wallet, number);
    if (this.#backlog.urgent) this.#soon();
  }

  /**
   * Writes what there is to write and gives the leases back.
   * @returns whether nothing is left that only the journal knows
   */
  async stop(): Promise<boolean> {
    this.#stopping = true;
    for (const interval of this.#intervals) this.#clock.clear(interval);
    this.#clock.clear(this.#timer);
    this.#clock.clear(this.#recall);
    await this.#running;
    const deadline = this.#clock.monotonic() + DRAIN_TIMEOUT;
    do {
      this.#heartbeat = this.#backlog.finished.length <= MAX_BATCH;
      await this.#flush();
      if (this.#failing) await this.#clock.delay(RETRY_DELAY);
    } while ((this.#failing || this.#backlog.finished.length > 0) && this.#clock.monotonic() < deadline);
    const left = this.#backlog.finished.length;
    if (left > 0) this.#logger.error(`${left} settlements stay in the journal for the next start`);
    return left === 0 && this.#backlog.open.size === 0;
  }

  #soon(): void {
    if (this.#running || this.#stopping || this.#urgent) return;
    this.#urgent = true;
    // What else this turn of the event loop brings goes into the same transaction.
    setImmediate(() => this.#run());
  }

  #gather(): void {
    if (!this.#timer) this.#later(Math.max(FLUSH_DELAY, this.#lastAttempt + this.flushInterval - this.#clock.monotonic()));
  }

  #later(delay: number): void {
    if (this.#running || this.#stopping || this.#urgent) return;
    this.#clock.clear(this.#timer);
    this.#timer = this.#clock.setTimeout(() => this.#run(), delay);
  }

  #run(): void {
    this.#clock.clear(this.#timer);
    this.#timer = undefined;
    this.#urgent = false;
    if (!this.#running && !this.#stopping) this.#running = this.#flushAll();
  }

  async #flushAll(): Promise<void> {
    do await this.#flush();
    while (!this.#failing && !this.#stopping && this.#backlog.urgent);
    this.#running = undefined;
    if (this.#backlog.short) this.#recall ??= this.#clock.setTimeout(() => this.#askAgain(), RECALL_INTERVAL);
    if (this.#failing) this.#later(RETRY_DELAY);
    else if (this.#backlog.finished.length > 0) this.#gather();
  }

  #askAgain(): void {
    this.#recall = undefined;
    this.#backlog.askAgain();
    this.#soon();
  }

  async #flush(): Promise<void> {
    deliverFirst(this.barrier);
    const flush = this.#backlog.compose(this.#heartbeat, this.#stopping, this.#failing);
    const asks = this.#failing || (this.#heartbeat && !this.#stopping);
    this.#heartbeat = false;
    // An empty flush finds out whether the store answers, while it did not, and now and then while nobody comes.
    if (flush.empty && !asks) return;
    try {
      await this.#send(flush);
      if (this.journal.full) this.journal.rotate(this.#lines());
    } catch (error) {
      const refused = isConstraintViolation(error);
      if (!refused) this.#fail(error as Error);
      this.#backlog.requeue(flush, refused || this.#stopping || !this.available ? (error as Error) : undefined);
      if (refused) await this.#separate(flush);
    }
  }

  async #send(flush: PendingFlush): Promise<void> {
    const sentAt = this.#clock.monotonic();
    this.#lastAttempt = sentAt;
    const answer = await this.store.sync(flush.batch);
    this.#backlog.apply(flush, answer, usableUntil(sentAt, this.ttl));
    if (this.#failing) this.#logger.log('The store answers again');
    this.#failingSince = undefined;
  }

  /**
   * Writes the endings of a refused flush one by one: a row that breaks a constraint must not keep the others from
   * being written.
   */
  async #separate(refused: PendingFlush): Promise<void> {
    this.#backlog.discard({ ...refused, finished: [] });
    for (let left = refused.finished.length; left > 0; left--) {
      const flush = this.#backlog.single();
      try {
        await this.#send(flush);
      } catch (error) {
        if (!isConstraintViolation(error)) return this.#fail(error as Error);
        if (this.#dropRecord(flush, error as Error)) {
          left++;
          continue;
        }
        this.#backlog.discard(flush);
        for (const { ending } of flush.finished) logRefused(ending, error as Error);
      }
    }
  }

  /** @returns whether the refused ending has had a record, which may be why it was refused */
  #dropRecord({ finished: [one] }: PendingFlush, { message }: Error): boolean {
    if (one?.ending.record === undefined) return false;
    one.ending.record = undefined;
    this.#logger.error(
      `The store refused the charge of request ${one.ending.request.requestId} with its record, which is lost: ${message}`,
    );
    return true;
  }

  #fail(error: Error): void {
    if (!this.#failing) this.#logger.warn(`The store does not answer, what is leased carries on: ${error.message}`);
    this.#failingSince ??= this.#lastAttempt;
    this.#heartbeat = true;
  }

  /** All that the store does not know. */
  *#lines(): Generator<string> {
    for (const hold of this.#backlog.open) {
      yield beginLine(hold.number, hold.facts);
      const { promptTokens, completionTokens, prompts } = hold.delivered;
      if (prompts) yield promptLine(hold.number, prompts);
      if (completionTokens > 0) yield progressLine(hold.number, promptTokens, completionTokens);
    }
    for (const { number, ending } of this.#backlog.finished) {
      yield beginLine(number, ending.request);
      yield endLine(number, ending.row!, ending.charge.excess);
    }
  }
}
