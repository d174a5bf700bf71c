import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** What was asked and answered, where the operator keeps it; apart from the records, so that these stay small. */
export function requestText(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table request_text (
        request_id text not null primary key,
        created_at ${int} not null,
        request text not null,
        answer text
      ) ${end}`.execute(db);
      await sql`create index request_text_time on request_text (created_at)`.execute(db);
    },
  };
}
