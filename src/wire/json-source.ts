const source = Symbol('source');

/**
 * The JSON text, as UTF-8 bytes in pieces, that a large value of a request was parsed from. What goes on to a provider as it came is not written again:
 * one copy of bytes instead of two passes over the text. A value that somebody makes anew, or copies, has no source.
 *
 * On the value itself: a WeakMap of long standing keeps what it was given until the next full collection.
 */
export function keepSource(value: object, json: readonly Uint8Array[]): void {
  Object.defineProperty(value, source, { value: json, configurable: true });
}

export function sourceOf(value: unknown): readonly Uint8Array[] | undefined {
  return typeof value === 'object' && value !== null ? (value as { [source]?: readonly Uint8Array[] })[source] : undefined;
}
