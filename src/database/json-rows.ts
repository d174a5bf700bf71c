import { type RawBuilder, sql } from 'kysely';
import type { Engine } from './engine.js';
import { storedInteger } from './integers.js';

/** Columns of rows that travel as JSON, in their order. */
export type JsonColumns = Readonly<Record<string, 'text' | 'int'>>;

export type JsonRow = readonly (string | number | bigint | null)[];

/**
 * Any number of rows in one parameter, so that the statement is the same for every number: the engine prepares it once, and one text crosses
 * to it instead of thousands of values.
 * @throws RangeError for an integer that the store cannot hold
 */
export function jsonRows(engine: Engine, rows: readonly JsonRow[]): RawBuilder<unknown> {
  const json = jsonText(rows);
  return engine === 'sqlite' ? sql`json_each(${json}) as source` : sql`json_array_elements(cast(${json} as json)) as source (value)`;
}

/**
 * Integers of 64 bits as text, which both engines read.
 * @throws RangeError for an integer that the store cannot hold
 */
export function jsonText(rows: readonly JsonRow[]): string {
  // Before and not within the writing of the JSON, where a function for each value costs four times as much.
  return JSON.stringify(rows.map((row) => row.map(cell)));
}

function cell(value: JsonRow[number]): string | number | null {
  if (typeof value === 'string') return storableText(value);
  return value === null ? null : storedInteger(value);
}

/** PostgreSQL takes neither NUL nor half a surrogate pair out of JSON; SQLite takes both. */
function storableText(text: string): string {
  return (text.isWellFormed() ? text : text.toWellFormed()).replaceAll('\0', '\ufffd');
}

/** A column of jsonRows. */
export function jsonColumn(columns: JsonColumns, name: string): RawBuilder<unknown> {
  const text = sql`source.value ->> ${sql.lit(Object.keys(columns).indexOf(name))}`;
  return columns[name] === 'int' ? sql`cast(${text} as bigint)` : sql`(${text})`;
}

/** A subquery of texts, for `in`. */
export function jsonTexts(engine: Engine, texts: readonly string[]): RawBuilder<string> {
  const json = JSON.stringify(texts);
  return engine === 'sqlite'
    ? sql<string>`(select value from json_each(${json}))`
    : sql<string>`(select json_array_elements_text(cast(${json} as json)))`;
}
