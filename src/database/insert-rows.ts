import { type Compilable, CompiledQuery, type Kysely, sql } from 'kysely';
import type { Engine } from './engine.js';
import { jsonColumn, type JsonColumns, jsonRows, type JsonRow, jsonText } from './json-rows.js';
import type { Schema } from './schema.js';

/** A statement for the SQLite thread to run once for each row of a JSON text, with its values as parameters. */
export interface RowsQuery extends CompiledQuery {
  readonly rows: string;
}

/**
 * Inserts any number of rows in one statement, which is the same for every number of them; for runBatch within a transaction. One text crosses to the engine
 * instead of thousands of values. SQLite's thread binds them row by row: its JSON functions cost three times as much (measured).
 */
export function insertRows(
  db: Kysely<Schema>,
  engine: Engine,
  table: keyof Schema,
  columns: JsonColumns,
  rows: readonly JsonRow[],
  { unlessThere = false } = {},
): Compilable {
  const names = Object.keys(columns);
  const ending = unlessThere ? ' on conflict do nothing' : '';
  if (engine === 'sqlite') {
    const text = `insert into "${table}" ("${names.join('", "')}") values (${names.map(() => '?').join(', ')})${ending}`;
    return { compile: (): RowsQuery => ({ ...CompiledQuery.raw(text), rows: jsonText(rows) }) };
  }
  const list = sql.join(names.map((name) => sql.ref(name)));
  const values = sql.join(names.map((name) => jsonColumn(columns, name)));
  const query = sql`insert into ${sql.table(table)} (${list}) select ${values} from ${jsonRows(engine, rows)}${sql.raw(ending)}`;
  return { compile: () => query.compile(db) };
}
