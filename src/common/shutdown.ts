import { Injectable } from '@nestjs/common';
import { type Indexed, IndexedSet } from './collections/indexed-set.js';

/** Something that is open, and must end when the time for draining is over. */
export interface EndsAtDeadline extends Indexed {
  reachDeadline(): void;
}

/**
 * The end of the process as the rest of the code sees it. While the process drains, it answers what is open and
 * readiness fails. At the deadline, open streams end with an error event at once.
 */
@Injectable()
export class Shutdown {
  readonly #deadline = new AbortController();
  /**
   * What is notified at the deadline. For something that every request has, this is cheaper than a listener of the
   * signal.
   */
  readonly open = new IndexedSet<EndsAtDeadline>();
  readonly #hurry = new AbortController();
  #draining = false;

  /**
   * Another process serves in place of this one: readiness is its affair, and open requests may take as long as they
   * need.
   */
  replaced = false;

  /** True from the first sign of the end on. */
  get draining(): boolean {
    return this.#draining;
  }

  /** The signal that is aborted at the deadline. */
  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  /**
   * The signal that is aborted when the process must end by its deadline although another process serves in its place.
   */
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
