import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** Providers that operators have added beside those of the configuration file. */
export function storedProviders(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const bytes = sql.raw(engine === 'sqlite' ? 'blob' : 'bytea');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table stored_provider (
        id text not null primary key check (length(id) <= 63),
        settings ${bytes} not null,
        created_at ${int} not null,
        disabled_at ${int},
        message text check (length(message) <= 500),
        version ${int} not null
      ) ${end}`.execute(db);
      await sql`insert into counter (name, value) values ('stored_provider', 0)`.execute(db);
    },
  };
}
