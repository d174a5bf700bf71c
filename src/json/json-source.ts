import { OnObject } from './on-object.js';

/**
 * The source is kept in a private field of the value itself: an old WeakMap keeps its values until the next full
 * collection.
 */
class Parsed extends OnObject {
  readonly #json: readonly Uint8Array[];

  constructor(value: object, json: readonly Uint8Array[]) {
    super(value);
    this.#json = json;
  }

  static sourceOf(value: object): readonly Uint8Array[] | undefined {
    return #json in value ? value.#json : undefined;
  }
}

/**
 * Keeps the JSON text, as buffers of UTF-8, that a large value of a request was parsed from. What goes on to a provider
 * as it came is then not serialised again: one copy of bytes instead of two passes over the text. A copy of the value,
 * or a new one, has no source.
 *
 * @param value has no source yet
 */
export function keepSource(value: object, json: readonly Uint8Array[]): void {
  void new Parsed(value, json);
}

export function sourceOf(value: unknown): readonly Uint8Array[] | undefined {
  return typeof value === 'object' && value !== null ? Parsed.sourceOf(value) : undefined;
}
