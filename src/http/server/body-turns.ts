import type { Readable } from 'node:stream';

/** Bytes of all bodies together that are looked at in one turn of the event loop, and one piece of each body more. */
const MOST = 2 * 1024 * 1024;

/**
 * Has other turns of the event loop come between the pieces of large bodies: in one turn Node reads up to 2 MB from
 * each connection that has them, and looking at those of a hundred bodies would take a second.
 */
export class BodyTurns {
  readonly #waiting: Readable[] = [];
  #bytes = 0;

  /** The bytes of a large body have been looked at; where they were many, its next ones come in a later turn. */
  took(body: Readable, bytes: number): void {
    if (this.#bytes === 0) setImmediate(this.#next);
    this.#bytes += bytes;
    if (this.#bytes <= MOST) return;
    body.pause();
    this.#waiting.push(body);
  }

  readonly #next = (): void => {
    this.#bytes = 0;
    for (const body of this.#waiting.splice(0)) body.resume();
  };
}
