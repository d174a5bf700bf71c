import { type RawBuilder, sql } from 'kysely';

/** Which part of a list is asked for. */
export interface PageQuery {
  /** At most so many rows. */
  readonly limit: number;
  /** `Page.next` of the page before; absent: the beginning. */
  readonly after?: string | undefined;
}

export interface Page<T> {
  readonly data: readonly T[];
  /** What `PageQuery.after` of the next page is; null where this is the last one. */
  readonly next: string | null;
}

interface Placed {
  readonly id: string;
  readonly created_at: bigint;
}

/** Rows that are read for a page: one more than it has tells whether another follows. */
export function rowsToRead({ limit }: PageQuery): number {
  return limit + 1;
}

/** @param rows as many as rowsToRead says, if there are */
export function pageOf<R, T>(rows: readonly R[], { limit }: PageQuery, cursorOf: (row: R) => string, map: (row: R) => T): Page<T> {
  const shown = rows.slice(0, limit);
  return { data: shown.map(map), next: rows.length > limit ? cursorOf(shown.at(-1)!) : null };
}

/** The cursor of a list in the order of time and id. */
export function timeCursor({ created_at, id }: Placed): string {
  return Buffer.from(`${created_at} ${id}`).toString('base64url');
}

/**
 * The condition under which a row comes after a cursor, in the order of `created_at` and `id`, which an index serves.
 * @param newestFirst whether the list is read from its end
 * @throws RangeError where the text is no cursor
 */
export function afterCursor(table: string, cursor: string | undefined, newestFirst = false): RawBuilder<boolean> {
  if (cursor === undefined) return sql<boolean>`1 = 1`;
  const [, time = '', id = ''] = /^(\d{1,15}) (.{1,256})$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (time === '' || id.includes('\0') || !id.isWellFormed()) throw new RangeError('after is not a cursor of this list');
  const order = sql.raw(newestFirst ? '<' : '>');
  return sql<boolean>`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)}) ${order} (${BigInt(time)}, ${id})`;
}
