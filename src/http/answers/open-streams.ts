import { Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { AnswerBudget } from '../../common/byte-budget.js';
import { Clock, systemClock, type Timer } from '../../common/clock.js';
import { IndexedSet } from '../../common/indexed-set.js';
import type { EventStream } from './event-stream.js';

/** Milliseconds between two looks at all streams. */
const TICK = 1_000;

/** All open event streams of the process, which share one timer. */
@Injectable()
export class OpenStreams implements OnApplicationShutdown {
  readonly #streams = new IndexedSet<EventStream>();
  /** Those that were given up, with an error event that their clients may not have read. */
  readonly #givenUp = new IndexedSet<EventStream>();
  #timer: Timer | undefined;

  constructor(
    @Optional() private readonly budget: AnswerBudget = new AnswerBudget(),
    private readonly clock: Clock = systemClock,
  ) {}

  get size(): number {
    return this.#streams.size;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    this.#timer ??= this.clock.setInterval(this.#tick, TICK).unref();
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream);
    this.#stopIdle();
  }

  onApplicationShutdown(): void {
    this.#stop();
  }

  readonly #tick = (): void => {
    const now = this.clock.now();
    let waiting = this.budget.used;
    for (const stream of this.#streams) {
      stream.tick(now);
      waiting += stream.waiting;
    }
    for (const stream of this.#givenUp) {
      if (stream.waiting === 0) this.#givenUp.delete(stream);
      waiting += stream.waiting;
    }
    if (waiting > this.budget.limit) this.#makeRoom(waiting - this.budget.limit);
    this.#stopIdle();
  };

  /**
   * Cuts off the clients that have not read why their streams were given up. Where that is not enough, gives up streams
   * of the account that has most waiting, first those whose clients are furthest behind. A provider is paused while its
   * client is behind.
   */
  #makeRoom(bytes: number): void {
    let missing = bytes;
    for (const stream of this.#givenUp) {
      missing -= stream.waiting;
      stream.close();
      this.#givenUp.delete(stream);
    }
    const accounts = this.#waitingByAccount();
    while (missing > 0) {
      const most = mostWaiting(accounts);
      const stream = most?.streams.pop();
      if (!most || !stream) return;
      most.bytes -= stream.waiting;
      missing -= stream.waiting;
      stream.owner?.error(noRoom());
      // Only now: a stream is in one set at a time.
      this.#givenUp.add(stream);
    }
  }

  /** The accounts with streams that wait, each with those that are furthest behind last. */
  #waitingByAccount(): Waiting[] {
    const accounts = new Map<string, Waiting>();
    for (const stream of this.#streams) {
      if (stream.waiting === 0) continue;
      const account = stream.owner?.account ?? '';
      let waiting = accounts.get(account);
      if (!waiting) accounts.set(account, (waiting = { bytes: this.budget.heldBy(account), streams: [] }));
      waiting.bytes += stream.waiting;
      waiting.streams.push(stream);
    }
    for (const { streams } of accounts.values()) streams.sort((one, other) => one.waiting - other.waiting);
    return [...accounts.values()];
  }

  #stopIdle(): void {
    if (this.#streams.size === 0 && this.#givenUp.size === 0) this.#stop();
  }

  #stop(): void {
    this.clock.clear(this.#timer);
    this.#timer = undefined;
  }
}

interface Waiting {
  bytes: number;
  readonly streams: EventStream[];
}

function mostWaiting(accounts: readonly Waiting[]): Waiting | undefined {
  let most: Waiting | undefined;
  for (const waiting of accounts) if (waiting.streams.length > 0 && !(most && most.bytes >= waiting.bytes)) most = waiting;
  return most;
}

function noRoom(): ApiError {
  const message = 'The answers under way have too many bytes together (server.answer_budget), and this one is far from being read.';
  return new ApiError('service_unavailable', message);
}
