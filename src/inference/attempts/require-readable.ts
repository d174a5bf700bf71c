import type { GenerationChunk } from '../../wire/generation.js';

/**
 * Checks of a chunk that a module has yielded what would otherwise show only where it is written for the client, after
 * it was charged: which choice it is of, whether that ends, and whether what it has beside its texts can be JSON. The
 * protocols of vendors do not come here: their chunks were JSON.
 * @param n how many choices were asked for
 * @throws TypeError
 */
export function requireReadable({ choices, extra }: GenerationChunk, n: number): void {
  if (extra) JSON.stringify(extra);
  for (const { index, delta, finish_reason } of choices) {
    if (!Number.isSafeInteger(index) || index < 0 || index >= n) throw new TypeError(`a choice has the index ${index}, of ${n} asked for`);
    if (finish_reason && typeof finish_reason !== 'string') throw new TypeError('a choice has a finish_reason that is no text');
    for (const name in delta) if (typeof delta[name] === 'object' || typeof delta[name] === 'bigint') JSON.stringify(delta[name]);
  }
}
