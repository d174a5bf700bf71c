import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** When each key was last used, beginning with what the store knows of requests. */
export function keyUse(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  return {
    async up(db) {
      await sql`create table key_use (
        key_id text not null primary key,
        used_at ${int} not null
      ) ${sql.raw(engine === 'sqlite' ? 'strict' : '')}`.execute(db);
      await sql`insert into key_use (key_id, used_at)
        select key_id, max(created_at) from (
          select key_id, created_at from usage
          union all select key_id, created_at from request_record where key_id is not null
        ) as request group by key_id`.execute(db);
    },
  };
}
