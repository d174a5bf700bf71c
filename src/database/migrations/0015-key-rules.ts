import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** Projects between accounts and keys, the rules of all three, and keys that replace others. */
export function keyRules(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table project (
        id text not null primary key,
        account_id text not null references account (id),
        name text not null,
        rules text,
        created_at ${int} not null,
        archived_at ${int},
        version ${int} not null,
        unique (account_id, name)
      ) ${end}`.execute(db);
      await sql`alter table account add column rules text`.execute(db);
      await sql`alter table account add column version ${int} not null default 0`.execute(db);
      for (const column of ['project_id', 'rules', 'metadata', 'first_id'])
        await sql`alter table api_key add column ${sql.ref(column)} text`.execute(db);
    },
  };
}
