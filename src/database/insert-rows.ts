import { type Compilable, CompiledQuery, sql } from 'kysely';
import type { Database } from './database.js';
import { jsonColumn, type JsonColumns, jsonRows, jsonText } from './json-rows.js';
import { PreparedQuery } from './prepared-query.js';
import type { Schema } from './schema.js';

/** A statement for the SQLite thread to run once for each row of a JSON text, with its values as parameters. */
export interface RowsQuery extends CompiledQuery {
  readonly rows: string;
}

/**
 * Inserts rows by one statement, which is the same for every number of them; for runBatch within a transaction. One
 * JSON text crosses to the engine instead of thousands of values. SQLite's thread binds the values row by row: SQLite's
 * own JSON functions cost three times as much (measured).
 */
export class RowsInsert {
  readonly #bound: CompiledQuery;
  readonly #selected: PreparedQuery<{ json: string }>;

  constructor(table: keyof Schema, columns: JsonColumns, { unlessThere = false } = {}) {
    const names = Object.keys(columns);
    const ending = unlessThere ? ' on conflict do nothing' : '';
    const values = names.map(() => '?').join(', ');
    this.#bound = CompiledQuery.raw(`insert into "${table}" ("${names.join('", "')}") values (${values})${ending}`);
    this.#selected = new PreparedQuery(({ db, engine }, { json }) => {
      const list = sql.join(names.map((name) => sql.ref(name)));
      const selected = sql.join(names.map((name) => jsonColumn(columns, name)));
      const query = sql`insert into ${sql.table(table)} (${list}) select ${selected} from ${jsonRows(engine, json)}${sql.raw(ending)}`;
      return { compile: () => query.compile(db) };
    });
  }

  /** @param rows of jsonRow; the columns that one lacks at its end are null */
  of(database: Database, rows: readonly string[]): Compilable {
    const json = jsonText(rows);
    if (database.engine === 'postgres') return this.#selected.with(database, { json });
    return { compile: (): RowsQuery => ({ ...this.#bound, rows: json }) };
  }
}
