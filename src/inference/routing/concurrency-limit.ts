import { FairPlaces } from '../../common/limits/fair-places.js';

/** Calls that begin in one turn of the event loop, of those that have waited. */
const BEGUN_A_TURN = 16;

/** A call that may have to wait for its turn. */
export interface QueuedCall {
  /** The id of the account that asks. */
  readonly account: string;
  /** Called when it is its turn. `release` must then be called once, with the account. */
  begin(): void;
}

/**
 * Limits the concurrent calls of one offer. Further calls wait in a queue of bounded length. Both places and queue are
 * shared by the accounts as in FairPlaces, and a place that becomes free goes to the waiting account that has the
 * fewest calls running; among equals, and within an account, to the one that has waited longest. It goes on in the next
 * turn of the event loop, and some in each: where a client ends all its calls at once, others are not held up until as
 * many have begun, and none begins whose client leaves in the same turn.
 */
export class ConcurrencyLimit {
  readonly #running: FairPlaces;
  readonly #waiting: FairPlaces;
  /** The waiting calls by account, the account that was served last at the end. */
  readonly #queues = new Map<string, Set<QueuedCall>>();
  /** Whether free places go to waiting calls in the next turn. */
  #passing = false;

  constructor(limit: number, longestQueue: number) {
    this.#running = new FairPlaces(limit);
    this.#waiting = new FairPlaces(longestQueue);
  }

  get running(): number {
    return this.#running.taken;
  }

  get queued(): number {
    return this.#waiting.taken;
  }

  /** Whether a further call of the account could neither run at once nor wait. */
  fullFor(account: string): boolean {
    return !this.#runsAtOnce(account) && !this.#waiting.allows(account);
  }

  /**
   * Begins the call, at once or when it is its turn.
   * @returns false where the queue is full
   */
  enter(call: QueuedCall): boolean {
    const { account } = call;
    if (this.#runsAtOnce(account)) {
      this.#running.take(account);
      call.begin();
      return true;
    }
    if (!this.#waiting.take(account)) return false;
    const queue = this.#queues.get(account);
    if (queue) queue.add(call);
    else this.#queues.set(account, new Set([call]));
    return true;
  }

  /** Removes a call from the queue. */
  leave(call: QueuedCall): void {
    const queue = this.#queues.get(call.account);
    if (!queue?.delete(call)) return;
    this.#waiting.give(call.account);
    if (queue.size === 0) this.#queues.delete(call.account);
  }

  release(account: string): void {
    this.#running.give(account);
    this.#passOn();
  }

  /** An account that has calls waiting does not overtake them, and nobody those that a place goes to. */
  #runsAtOnce(account: string): boolean {
    return this.#running.allows(account) && !this.#queues.has(account) && !this.#passing;
  }

  #passOn(): void {
    if (this.#passing || this.#queues.size === 0) return;
    this.#passing = true;
    setImmediate(() => {
      this.#passing = false;
      for (let begun = 0; begun < BEGUN_A_TURN; begun++) if (!this.#beginNext()) return;
      this.#passOn();
    });
  }

  /** @returns false where no waiting account may have a further place */
  #beginNext(): boolean {
    const account = this.#nextAccount();
    if (account === undefined) return false;
    const queue = this.#queues.get(account)!;
    const [next] = queue;
    this.leave(next!);
    if (this.#queues.delete(account)) this.#queues.set(account, queue);
    this.#running.take(account);
    next!.begin();
    return true;
  }

  #nextAccount(): string | undefined {
    let next: string | undefined;
    let fewest = Infinity;
    for (const account of this.#queues.keys()) {
      const running = this.#running.heldBy(account);
      if (running >= fewest || !this.#running.allows(account)) continue;
      next = account;
      fewest = running;
    }
    return next;
  }
}
