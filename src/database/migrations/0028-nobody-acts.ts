import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/**
 * Lets lines of the audit log say that whoever has acted was not signed in. SQLite cannot change a check: the table is
 * made again.
 */
export function nobodyActs(engine: Engine): Migration {
  return {
    async up(db) {
      if (engine === 'postgres') {
        await sql`alter table audit drop constraint audit_actor_kind_check,
          add constraint audit_actor_kind_check check (actor_kind in ('token', 'cli', 'user', 'nobody'))`.execute(db);
        return;
      }
      await sql`alter table audit rename to audit_before`.execute(db);
      await sql`create table audit (
        id text not null primary key,
        created_at integer not null,
        actor_kind text not null check (actor_kind in ('token', 'cli', 'user', 'nobody')),
        actor text not null,
        role text,
        action text not null,
        account_id text,
        subject text not null,
        fields text not null,
        request_id text,
        address text
      ) strict`.execute(db);
      await sql`insert into audit select * from audit_before`.execute(db);
      await sql`drop table audit_before`.execute(db);
      await sql`create index audit_account on audit (account_id, id)`.execute(db);
    },
  };
}
