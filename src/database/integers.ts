import { type Expression, sql } from 'kysely';

/*
 * All integers are 64 bits wide in both engines and bigint here. The engines would otherwise round, clamp or disagree:
 *
 * - reading: SQLite's thread asks for bigint (sqlite.worker.ts); PostgreSQL's driver would give text (postgresIntegers)
 * - writing a parameter: both engines refuse what does not fit; in a cast from text SQLite clamps it (storedInteger)
 * - adding: both engines refuse the overflow of a column; a sum of many rows overflows in SQLite alone (sumParts)
 */

/** PostgreSQL's int8, int2 and int4, and numeric, as sums of int8 are. */
export const postgresIntegers: ReadonlySet<number> = new Set([20, 21, 23, 1700]);

const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);

/** PostgreSQL's code for a number that its type cannot hold. */
export const OUT_OF_RANGE = '22003';

/**
 * The text of an integer that travels as text.
 * @throws RangeError beyond 64 bits, and for a number that is no exact integer
 */
export function storedInteger(value: bigint | number): string {
  const exact = typeof value === 'bigint' ? value >= SMALLEST && value <= LARGEST : Number.isSafeInteger(value);
  if (!exact) throw Object.assign(new RangeError(`not an integer of 64 bits: ${value}`), { code: OUT_OF_RANGE });
  return String(value);
}

interface SumParts {
  readonly high: bigint | null;
  readonly low: bigint | null;
}

/**
 * A sum that no number of rows overflows: the upper and the lower 32 bits of the values are summed apart. Select both,
 * and put them together with `exactSum`.
 */
export function sumParts(value: Expression<bigint>) {
  return [sql<bigint | null>`sum((${value}) >> 32)`.as('high'), sql<bigint | null>`sum((${value}) & 4294967295)`.as('low')] as const;
}

export function exactSum({ high, low }: SumParts): bigint {
  return ((high ?? 0n) << 32n) + (low ?? 0n);
}
