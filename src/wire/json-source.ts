/**
 * The JSON text, as UTF-8 bytes, that a large value of a request was parsed from, in pieces. What goes on to a provider as it came is not written again: one copy
 * of bytes instead of two passes over the text. A value that somebody makes anew has no source.
 */
const sources = new WeakMap<object, readonly Uint8Array[]>();

export function keepSource(value: object, json: readonly Uint8Array[]): void {
  sources.set(value, json);
}

export function sourceOf(value: unknown): readonly Uint8Array[] | undefined {
  return typeof value === 'object' && value !== null ? sources.get(value) : undefined;
}
