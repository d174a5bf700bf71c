import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OpenRequests } from '../http/server/open-requests.js';

const LOOK_INTERVAL_MS = 1_000;
/** Milliseconds after which a gateway that has just started, and of which nobody has asked anything yet, gives back what its start has left. */
const AFTER_START_MS = 500;
/** Milliseconds of silence before a collection: shorter ones come between the requests of a gateway that is in use. */
const MIN_SILENCE_MS = 15_000;
/** A scrape and the checks of a load balancer are no traffic. */
const MAX_ENTERED_A_LOOK = 3;
/** Bytes by which the resident memory must have grown for a collection to be worth what it costs. */
const MIN_GROWTH = 32 * 1024 * 1024;

type Gc = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/** What it goes by; of this process, unless a test says otherwise. */
export interface Surroundings {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Bytes. */
  resident(): number;
  collect(): void;
}

/**
 * Gives memory back while nothing is being answered: V8 keeps what a burst has left until the heap is full again, which on a gateway that has
 * become quiet may be never. 1,000 streams left 65 to 100 MB, of which 25 to 35 were there 30 seconds later; the pause is 40 to 150 ms (measured on 2 busy cores).
 * It is dear: with no request alive, no object of a request's shapes is, and with the last of its objects a shape goes, and with the shape all
 * compiled code that knows it. Nearly every function is compiled again after it: a second of CPU, and requests at four times their cost meanwhile.
 *
 * After a start nothing is lost by it, and 10 MB are won, for 60 ms of CPU.
 */
export class IdleMemory {
  #silentSince: number;
  #entered = 0;
  /** The least that was resident since the last collection: the system has the memory back some seconds after it. */
  #level: number;

  /** For a process of which the gateway is the whole: what else lives in it would be collected too. */
  static watch(openRequests: OpenRequests): void {
    const memory = new IdleMemory(openRequests);
    setTimeout(() => memory.afterStart(), AFTER_START_MS).unref();
    setInterval(() => memory.look(), LOOK_INTERVAL_MS).unref();
  }

  constructor(
    private readonly openRequests: Pick<OpenRequests, 'size' | 'entered'>,
    private readonly surroundings: Surroundings = ofThisProcess(),
  ) {
    this.#silentSince = surroundings.now();
    this.#level = surroundings.resident();
  }

  /** To be called once. A gateway that is in use already has a use for the memory too. */
  afterStart(): void {
    const { size, entered } = this.openRequests;
    if (size > 0 || entered > MAX_ENTERED_A_LOOK) return;
    this.surroundings.collect();
    this.#level = this.surroundings.resident();
  }

  /** To be called once a second. */
  look(): void {
    const now = this.surroundings.now();
    const { size, entered } = this.openRequests;
    if (size > 0 || entered - this.#entered > MAX_ENTERED_A_LOOK) this.#silentSince = now;
    this.#entered = entered;
    const resident = this.surroundings.resident();
    this.#level = Math.min(this.#level, resident);
    if (now - this.#silentSince < MIN_SILENCE_MS || resident - this.#level < MIN_GROWTH) return;
    this.#silentSince = now;
    this.surroundings.collect();
    this.#level = this.surroundings.resident();
  }
}

function ofThisProcess(): Surroundings {
  let gc: Gc | undefined;
  return {
    now: () => performance.now(),
    resident: () => process.memoryUsage.rss(),
    collect: () => {
      if (!gc) {
        setFlagsFromString('--expose-gc');
        gc = runInNewContext('gc') as Gc;
      }
      // The last resort: two collections, after which the young generation is as small as it was at first.
      gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    },
  };
}
