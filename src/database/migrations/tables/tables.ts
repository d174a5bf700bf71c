import { sql, type RawBuilder } from 'kysely';
import type { Engine } from '../../engine.js';

/** What types of columns are called by an engine. */
export interface ColumnTypes {
  readonly int: string;
  readonly bytes: string;
  readonly environment: string;
}

/** Columns and constraints by the name of the table, in the order in which they refer to each other. */
export type Tables = Readonly<Record<string, string>>;

export const columnTypes = (engine: Engine): ColumnTypes => ({
  int: engine === 'sqlite' ? 'integer' : 'bigint',
  bytes: engine === 'sqlite' ? 'blob' : 'bytea',
  environment: `text not null check (environment in ('live', 'test'))`,
});

export const creationOf = (engine: Engine, tables: Tables): RawBuilder<unknown>[] =>
  Object.entries(tables).map(([name, columns]) => sql.raw(`create table ${name} (${columns}) ${engine === 'sqlite' ? 'strict' : ''}`));
