import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock, type Timer } from '../../common/time/clock.js';

/** Milliseconds for which the usage of an answer is waited for whose client has left after its end. */
const USAGE_WAIT_MS = 2_000;

/**
 * Waits at the same time in this process. Each keeps one connection to a provider and one request in memory, of a
 * client that is gone; who leaves beyond them pays by the gateway's count.
 */
const MAX_USAGE_WAITS = 256;

/** An answer that has ended, except that its provider has not said what it comes to. */
export interface WaitingForUsage {
  /** The usage has not come in time. */
  expired(): void;
}

/** The answers whose clients have left after the finish reason and before the provider's usage. */
@Injectable()
export class UsageWaits implements OnModuleDestroy {
  readonly #waiting = new Map<WaitingForUsage, Timer>();
  #closed = false;

  constructor(private readonly clock: Clock) {}

  /** @returns false where no more can wait */
  add(one: WaitingForUsage): boolean {
    if (this.#closed || this.#waiting.size >= MAX_USAGE_WAITS) return false;
    this.#waiting.set(
      one,
      this.clock.setTimeout(() => {
        this.#waiting.delete(one);
        one.expired();
      }, USAGE_WAIT_MS),
    );
    return true;
  }

  delete(one: WaitingForUsage): void {
    this.clock.clear(this.#waiting.get(one));
    this.#waiting.delete(one);
  }

  /** What has not come by now is not waited for: the ledger is about to close. */
  onModuleDestroy(): void {
    this.#closed = true;
    for (const one of this.#waiting.keys()) {
      this.delete(one);
      one.expired();
    }
  }
}
