import { type Expression, sql } from 'kysely';

/*
 * Integers are 64 bits wide in both engines and bigint here, all of them. Where the engines would round, clamp or disagree:
 *
 * - reading: SQLite's thread asks for bigint (sqlite.worker.ts), PostgreSQL's driver would give text for the types below
 * - writing a parameter: both refuse what does not fit; a cast from text does so in PostgreSQL alone, SQLite clamps (storedInteger)
 * - adding: both refuse a column's overflow; a sum of many is refused by SQLite alone (sumParts)
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

/** A sum that no number of rows overflows: of the values' upper and lower 32 bits apart. Select both, and put them together with `exactSum`. */
export function sumParts(value: Expression<bigint>) {
  return [sql<bigint | null>`sum((${value}) >> 32)`.as('high'), sql<bigint | null>`sum((${value}) & 4294967295)`.as('low')] as const;
}

export function exactSum({ high, low }: SumParts): bigint {
  return ((high ?? 0n) << 32n) + (low ?? 0n);
}
