import { type RawBuilder, sql } from 'kysely';

/** Which part of a list is asked for. */
export interface PageQuery {
  /** At most so many rows. */
  readonly limit: number;
  /** `Page.next` of the page before; absent: the beginning. */
  readonly after?: string | undefined;
}

/** Which part of a list is asked for, of what has a text in its name or id. */
export interface SearchQuery extends PageQuery {
  /** Upper and lower case are the same; absent: everything. */
  readonly search?: string | undefined;
}

export interface FindQuery extends SearchQuery {
  /** Only those with these ids. */
  readonly ids?: readonly string[] | undefined;
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
 * A page of a list that is in memory.
 * @param keyOf what the list is put in the order of, by UTF-16 code units, which the order of a database need not be;
 * those that share one stay in theirs
 * @param textOf what is searched
 * @throws RangeError where the cursor is none of such a list
 */
export function pageInMemory<T>(
  all: Iterable<T>,
  { limit, after, search = '' }: SearchQuery,
  keyOf: (one: T) => string,
  textOf = keyOf,
): Page<T> {
  const wanted = search.toLowerCase();
  const [, nth = '', key = ''] = after === undefined ? [] : (/^(\d{1,9}) (.*)$/s.exec(after) ?? []);
  if (after !== undefined && nth === '') throw new RangeError('after is not a cursor of this list');
  const data: T[] = [];
  let before: string | undefined;
  let same = 0;
  let next = '';
  const sorted = Array.from(all, (one) => ({ one, name: keyOf(one) })).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (const { one, name } of sorted) {
    same = name === before ? same + 1 : 0;
    before = name;
    if (after !== undefined && (name < key || (name === key && same <= Number(nth)))) continue;
    if (wanted !== '' && !textOf(one).toLowerCase().includes(wanted)) continue;
    if (data.length === limit) return { data, next };
    data.push(one);
    next = `${same} ${name}`;
  }
  return { data, next: null };
}

/**
 * The condition under which a row comes after a cursor, in the order of a time and `id`, which an index serves.
 * @param newestFirst whether the list is read from its end
 * @param time the column of the time, in milliseconds since 1970
 * @throws RangeError where the text is no cursor
 */
export function afterCursor(table: string, cursor: string | undefined, newestFirst = false, time = 'created_at'): RawBuilder<boolean> {
  if (cursor === undefined) return sql<boolean>`1 = 1`;
  const [, at = '', id = ''] = /^(\d{1,15}) (.{1,256})$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (at === '' || id.includes('\0') || !id.isWellFormed()) throw new RangeError('after is not a cursor of this list');
  const order = sql.raw(newestFirst ? '<' : '>');
  return sql<boolean>`(${sql.ref(`${table}.${time}`)}, ${sql.ref(`${table}.id`)}) ${order} (${BigInt(at)}, ${id})`;
}

/** The condition that a row has this version; absent: any will do. */
export function hasVersion(version: bigint | undefined): RawBuilder<boolean> {
  return version === undefined ? sql<boolean>`1 = 1` : sql<boolean>`version = ${version}`;
}

/** The condition that a row is one of these; absent: all are. */
export function isOneOf(table: string, ids: readonly string[] | undefined): RawBuilder<boolean> {
  return ids ? sql<boolean>`${sql.ref(`${table}.id`)} in (${sql.join(ids)})` : sql<boolean>`1 = 1`;
}

/** The condition that a text is in one of these columns, in any case. An empty text is in all. */
export function hasText(search: string | undefined, ...columns: readonly string[]): RawBuilder<boolean> {
  if (!search) return sql<boolean>`1 = 1`;
  const pattern = sql`lower(cast(${`%${search.replace(/[%_\\]/g, '\\$&')}%`} as text)) escape '\\'`;
  return sql<boolean>`(${sql.join(
    columns.map((column) => sql`lower(${sql.ref(column)}) like ${pattern}`),
    sql` or `,
  )})`;
}
