/** A count far beyond any model, and within the integers of every store. */
const MAX_TOKENS = 2 ** 31 - 1;

/**
 * A vendor's count: fractions are the next whole token. What is no number, or below zero, says nothing, as if it were
 * absent.
 */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? Math.min(Math.ceil(value), MAX_TOKENS) : undefined;
}
