import { type RawBuilder, sql } from 'kysely';
import type { Engine } from './engine.js';
import { storedInteger } from './integers.js';

/** The columns of rows that travel as JSON, in their order. */
export type JsonColumns = Readonly<Record<string, 'text' | 'int'>>;

export type JsonRow = readonly (string | number | bigint | null)[];

/**
 * Any number of rows in one parameter, so that the statement is the same for every number of them: the engine prepares
 * it once, and one text crosses to it instead of thousands of values.
 * @param json of jsonText
 */
export function jsonRows(engine: Engine, json: string): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`json_each(${json}) as source` : sql`json_array_elements(cast(${json} as json)) as source (value)`;
}

/** NUL or half a surrogate pair, as JSON.stringify writes them, or a harmless text that looks like one. */
const DOUBTFUL = /\\u(?:0000|d[89a-f])/;

/**
 * A row as JSON. Integers that a JavaScript number cannot hold become text, which both engines read. A row that waits
 * to be written does so as one text, because every garbage collection would copy each of its values.
 * @throws RangeError for an integer that the store cannot hold
 */
export function jsonRow(row: JsonRow): string {
  const values = exact(row);
  const text = JSON.stringify(values);
  return DOUBTFUL.test(text) ? JSON.stringify(values.map(storable)) : text;
}

/** One row that has the values of the second behind those of the first. @param first, second of jsonRow */
export function joinRows(first: string, second: string): string {
  return `${first.slice(0, -1)},${second.slice(1)}`;
}

/** @param rows of jsonRow */
export function jsonText(rows: readonly string[]): string {
  return `[${rows.join(',')}]`;
}

/**
 * Replaces the bigints before the JSON is written: a replacer function, called for each value, costs four times as
 * much.
 */
function exact(row: JsonRow): JsonRow {
  let copy: (string | number | bigint | null)[] | undefined;
  for (let index = 0; index < row.length; index++) {
    const value = row[index]!;
    if (typeof value === 'bigint') (copy ??= row.slice())[index] = shortest(value);
    else if (typeof value === 'number' && !Number.isSafeInteger(value)) storedInteger(value);
  }
  return copy ?? row;
}

function shortest(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : storedInteger(value);
}

/** PostgreSQL takes neither NUL nor half a surrogate pair out of JSON; SQLite takes both. */
function storable(value: JsonRow[number]): JsonRow[number] {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
}

/** A column of jsonRows. */
export function jsonColumn(columns: JsonColumns, name: string): RawBuilder<unknown> {
  const text = sql`source.value ->> ${sql.lit(Object.keys(columns).indexOf(name))}`;
  return columns[name] === 'int' ? sql`cast(${text} as bigint)` : sql`(${text})`;
}

/** A subquery of texts, for `in`. @param json an array of them */
export function jsonTexts(engine: Engine, json: string): RawBuilder<string> {
  return engine === 'sqlite'
    ? sql<string>`(select value from json_each(${json}))`
    : sql<string>`(select json_array_elements_text(cast(${json} as json)))`;
}
