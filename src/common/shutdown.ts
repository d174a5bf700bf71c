import { Injectable } from '@nestjs/common';

/**
 * The end of the process as the rest of the code sees it. Draining: answer what is open, readiness fails. Deadline: open streams end with an
 * error event, now.
 */
@Injectable()
export class Shutdown {
  readonly #deadline = new AbortController();
  readonly #listeners = new Set<() => void>();
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

  /** Calls back at the drain's deadline (cheaper than the signal for one listener a request), until the returned function is called. */
  onDeadline(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
