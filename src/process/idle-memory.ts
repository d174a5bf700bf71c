import type { OpenRequests } from '../http/server/open-requests.js';
import { collectGarbage } from './v8-settings.js';

const CHECK_INTERVAL_MS = 1_000;
/** Milliseconds after the start at which a gateway that nobody has used yet collects what its start has left. */
const AFTER_START_MS = 500;
/**
 * Milliseconds of silence before a collection. Shorter pauses occur between the requests of a gateway that is in use.
 */
const MIN_SILENCE_MS = 15_000;
/** Requests in one interval that do not end the silence: a metrics scrape and the health checks of a load balancer. */
const MAX_REQUESTS_IN_SILENCE = 3;
/** Bytes by which the resident memory must have grown for a collection to be worth its cost. */
const MIN_GROWTH = 32 * 1024 * 1024;

/** What the class asks of its process. A test replaces it. */
interface ProcessMemory {
  /** @returns milliseconds of a monotonic clock */
  now(): number;
  /** @returns bytes */
  resident(): number;
  collect(): void;
}

const ofThisProcess: ProcessMemory = {
  now: () => performance.now(),
  resident: () => process.memoryUsage.rss(),
  collect: collectGarbage,
};

/**
 * Collects garbage while no request is being answered. V8 keeps what a burst has left until its heap is full again,
 * which on a gateway that has become quiet may never happen: 1,000 streams left 65 to 100 MB, of which 25 to 35 MB were
 * still there 30 seconds later.
 *
 * The pause is 40 to 150 ms (measured on two busy cores), and a collection has a second cost: when no request is alive,
 * the hidden classes of a request's objects are collected, and with them all compiled code that depends on them. Nearly
 * every function is compiled again afterwards, which takes a second of CPU. Directly after a start there is no such
 * code to lose.
 */
export class IdleMemory {
  #silentSince: number;
  #entered = 0;
  /**
   * The least that was resident since the last collection: it takes some seconds until the system has the memory back.
   */
  #level: number;

  /** Begins to watch the memory of this process, which must serve nothing but the gateway. */
  static watch(openRequests: OpenRequests): void {
    const memory = new IdleMemory(openRequests);
    setTimeout(() => memory.afterStart(), AFTER_START_MS).unref();
    setInterval(() => memory.check(), CHECK_INTERVAL_MS).unref();
  }

  constructor(
    private readonly openRequests: Pick<OpenRequests, 'size' | 'entered'>,
    private readonly memory: ProcessMemory = ofThisProcess,
  ) {
    this.#silentSince = memory.now();
    this.#level = memory.resident();
  }

  /** To be called once, soon after the start. A gateway that is in use already needs the memory, so it keeps it. */
  afterStart(): void {
    const { size, entered } = this.openRequests;
    if (size > 0 || entered > MAX_REQUESTS_IN_SILENCE) return;
    this.memory.collect();
    this.#level = this.memory.resident();
  }

  /** To be called once a second. */
  check(): void {
    const now = this.memory.now();
    const { size, entered } = this.openRequests;
    if (size > 0 || entered - this.#entered > MAX_REQUESTS_IN_SILENCE) this.#silentSince = now;
    this.#entered = entered;
    const resident = this.memory.resident();
    this.#level = Math.min(this.#level, resident);
    if (now - this.#silentSince < MIN_SILENCE_MS || resident - this.#level < MIN_GROWTH) return;
    this.#silentSince = now;
    this.memory.collect();
    this.#level = this.memory.resident();
  }
}
