import { OnObject } from './on-object.js';

/** On the value itself: a WeakMap of long standing keeps what it was given until the next full collection. */
class Parsed extends OnObject {
  readonly #json: readonly Uint8Array[];

  private constructor(value: object, json: readonly Uint8Array[]) {
    super(value);
    this.#json = json;
  }

  static of(value: object, json: readonly Uint8Array[]): Parsed {
    return new Parsed(value, json);
  }

  static sourceOf(value: object): readonly Uint8Array[] | undefined {
    return #json in value ? value.#json : undefined;
  }
}

/**
 * The JSON text, as UTF-8 bytes in pieces, that a large value of a request was parsed from. What goes on to a provider
 * as it came is not written again: one copy of bytes instead of two passes over the text. A value that somebody makes
 * anew, or copies, has no source.
 *
 * @param value that has none yet
 */
export function keepSource(value: object, json: readonly Uint8Array[]): void {
  Parsed.of(value, json);
}

export function sourceOf(value: unknown): readonly Uint8Array[] | undefined {
  return typeof value === 'object' && value !== null ? Parsed.sourceOf(value) : undefined;
}
