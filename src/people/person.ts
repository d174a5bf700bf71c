import type { Selectable } from 'kysely';
import type { PersonTable } from '../database/people-tables.js';

/** What may be shown of somebody who signs in. Times are milliseconds since 1970. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly operator: boolean;
  readonly hasPassword: boolean;
  readonly createdAt: number;
  readonly disabledAt?: number | undefined;
  /** Grows with each change. */
  readonly version: bigint;
}

export type PersonRow = Selectable<PersonTable>;

export function toPerson(row: PersonRow): Person {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    operator: row.operator === 1n,
    hasPassword: row.password !== null,
    createdAt: Number(row.created_at),
    disabledAt: row.disabled_at === null ? undefined : Number(row.disabled_at),
    version: row.version,
  };
}

const MAX_NAME = 200;

/** @throws RangeError */
export function nameOf(text: string): string {
  const name = text.trim();
  if (name.length > MAX_NAME || /\p{Cc}/u.test(name)) throw new RangeError(`name must have at most ${MAX_NAME} characters in one line`);
  return name;
}
