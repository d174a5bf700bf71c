import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../common/time/clock.js';
import { StoreError } from './store-error.js';

/** For whom the caller works; undefined: for the gateway itself. */
const askers = new AsyncLocalStorage<string>();

/** Does work in the name of an asker: those who wait for a connection take turns by asker. */
export function askedBy<T>(who: string, work: () => T): T {
  return askers.run(who, work);
}

/** How long callers queue for a connection. */
export interface Queue {
  /** Callers that may wait; further ones are rejected. */
  readonly most: number;
  /** Milliseconds that one waits; absent: until it is its turn. */
  readonly patience?: number;
}

type Serve<Connection> = (connection: Connection) => void;

/** Callers that wait for a connection, by who asks. */
export class AskersQueue<Connection> {
  readonly #waiting = new Map<string | undefined, Set<Serve<Connection>>>();
  #size = 0;

  constructor(
    private readonly queue: Queue,
    private readonly clock: Clock,
  ) {}

  get size(): number {
    return this.#size;
  }

  /** @throws StoreError unavailable */
  wait(): Promise<Connection> {
    const { most, patience } = this.queue;
    if (this.#size >= most) return Promise.reject(tooMany());
    const who = askers.getStore();
    const callers = this.#waiting.get(who) ?? new Set();
    this.#waiting.set(who, callers);
    this.#size++;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#remove(who, callers, serve);
        reject(tooMany());
      };
      const timer = patience === undefined ? undefined : this.clock.setTimeout(giveUp, patience);
      const serve: Serve<Connection> = (connection) => {
        this.clock.clear(timer);
        resolve(connection);
      };
      callers.add(serve);
    });
  }

  /** Gives a connection to the caller whose turn it is. */
  serve(connection: Connection): void {
    for (const [who, callers] of this.#waiting) {
      const [serve] = callers;
      this.#remove(who, callers, serve!);
      // To the end.
      if (this.#waiting.delete(who)) this.#waiting.set(who, callers);
      return serve!(connection);
    }
  }

  #remove(who: string | undefined, callers: Set<Serve<Connection>>, serve: Serve<Connection>): void {
    this.#size--;
    callers.delete(serve);
    if (callers.size === 0) this.#waiting.delete(who);
  }
}

function tooMany(): StoreError {
  return new StoreError('unavailable', 'The store does not keep up: too many callers are waiting');
}
