import { Injectable } from '@nestjs/common';
import { IndexedSet, type Placed } from './indexed-set.js';

/** Something that is open, and ends at the drain's deadline at the latest. */
export interface EndsAtDeadline extends Placed {
  reachDeadline(): void;
}

/**
 * The end of the process as the rest of the code sees it. Draining: answer what is open, readiness fails. Deadline: open streams end with an
 * error event, now.
 */
@Injectable()
export class Shutdown {
  readonly #deadline = new AbortController();
  /** Told at the drain's deadline: cheaper than the signal for one a request. */
  readonly open = new IndexedSet<EndsAtDeadline>();
  readonly #hurry = new AbortController();
  #draining = false;

  /** Another process serves in our place: readiness is its affair, and open answers may take what they take. */
  replaced = false;

  /** True from the first sign of the end on. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Aborted at the drain's deadline. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  /** Aborted when the end is wanted within the drain's deadline although another process serves in our place. */
  get hurried(): AbortSignal {
    return this.#hurry.signal;
  }

  hurry(): void {
    this.#hurry.abort();
  }

  begin(): void {
    this.#draining = true;
  }

  reachDeadline(): void {
    this.#draining = true;
    this.#deadline.abort();
    for (const one of this.open) one.reachDeadline();
  }
}
