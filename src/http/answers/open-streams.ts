import { Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { ApiError } from '../../common/api-error.js';
import { AnswerBudget } from '../../common/limits/byte-budget.js';
import { Clock, systemClock, type Timer } from '../../common/time/clock.js';
import { IndexedSet } from '../../common/collections/indexed-set.js';
import { OpenRequests, type Unread } from '../server/open-requests.js';
import type { EventStream } from './event-stream.js';

/** Milliseconds between two looks at all streams. */
const TICK = 1_000;

/** All open event streams of the process, and what else waits for clients. They share one timer. */
@Injectable()
export class OpenStreams implements OnApplicationShutdown {
  readonly #streams = new IndexedSet<EventStream>();
  /** Those that were given up, with an error event that their clients may not have read. */
  readonly #givenUp = new IndexedSet<EventStream>();
  readonly #timer: Timer;

  constructor(
    @Optional() private readonly budget: AnswerBudget = new AnswerBudget(),
    private readonly clock: Clock = systemClock,
    @Optional() private readonly requests: OpenRequests = new OpenRequests(),
  ) {
    this.#timer = clock.setInterval(this.#tick, TICK).unref();
  }

  get size(): number {
    return this.#streams.size;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
  }

  delete(stream: EventStream): void {
    this.#streams.delete(stream);
  }

  onApplicationShutdown(): void {
    this.clock.clear(this.#timer);
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
    const unread = this.requests.unread().filter(({ request: { eventStream } }) => !eventStream || !this.#givenUp.has(eventStream));
    for (const { bytes } of unread) waiting += bytes;
    if (waiting > this.budget.limit) this.#makeRoom(waiting - this.budget.limit, unread);
  };

  /**
   * Cuts off the clients that have not read why their streams were given up. Where that is not enough, gives up streams
   * of the account that has most waiting, and cuts off clients that have not read whole answers, first those that are
   * furthest behind. A provider is paused while its client is behind.
   */
  #makeRoom(bytes: number, unread: readonly Unread[]): void {
    let missing = bytes;
    for (const stream of this.#givenUp) {
      missing -= stream.waiting;
      stream.close();
      this.#givenUp.delete(stream);
    }
    const accounts = this.#waitingByAccount(unread);
    while (missing > 0) {
      const most = mostWaiting(accounts);
      const answer = most?.answers.pop();
      if (!most || !answer) return;
      most.bytes -= answer.bytes;
      missing -= answer.bytes;
      answer.giveUp();
    }
  }

  /** The accounts with answers that wait, each with those that are furthest behind last. */
  #waitingByAccount(unread: readonly Unread[]): Waiting[] {
    const accounts = new Map<string, Waiting>();
    const add = (account: string, bytes: number, giveUp: () => void): void => {
      if (bytes === 0) return;
      let waiting = accounts.get(account);
      if (!waiting) accounts.set(account, (waiting = { bytes: this.budget.heldBy(account), answers: [] }));
      waiting.bytes += bytes;
      waiting.answers.push({ bytes, giveUp });
    };
    for (const stream of this.#streams)
      add(stream.owner?.account ?? '', stream.waiting, () => {
        stream.owner?.error(noRoom());
        // Only now: a stream is in one set at a time.
        this.#givenUp.add(stream);
      });
    for (const { request, bytes } of unread) add(request.account ?? '', bytes, () => request.raw.socket.destroy());
    for (const { answers } of accounts.values()) answers.sort((one, other) => one.bytes - other.bytes);
    return [...accounts.values()];
  }
}

interface Waiting {
  bytes: number;
  readonly answers: { readonly bytes: number; readonly giveUp: () => void }[];
}

function mostWaiting(accounts: readonly Waiting[]): Waiting | undefined {
  let most: Waiting | undefined;
  for (const waiting of accounts) if (waiting.answers.length > 0 && !(most && most.bytes >= waiting.bytes)) most = waiting;
  return most;
}

function noRoom(): ApiError {
  const message = 'The answers under way have too many bytes together (server.answer_budget), and this one is far from being read.';
  return new ApiError('service_unavailable', message);
}
