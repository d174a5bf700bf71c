import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** Tokens of the administration API, the log of what was changed, and what ids of clients were first used for. */
export function administration(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table admin_token (
        id text not null primary key,
        digest text not null unique check (length(digest) = 64),
        pepper_version ${int} not null,
        role text not null check (role in ('operator', 'owner', 'admin', 'developer', 'viewer')),
        account_id text references account (id) check ((account_id is null) = (role = 'operator')),
        label text not null check (length(label) <= 200),
        display text not null,
        created_at ${int} not null,
        expires_at ${int},
        revoked_at ${int},
        version ${int} not null
      ) ${end}`.execute(db);
      await sql`create table audit (
        id text not null primary key,
        created_at ${int} not null,
        actor_kind text not null check (actor_kind in ('token', 'cli')),
        actor text not null,
        role text,
        action text not null,
        account_id text,
        subject text not null,
        fields text not null,
        request_id text,
        address text
      ) ${end}`.execute(db);
      await sql`create table creation (
        id text not null primary key,
        digest text not null,
        created_at ${int} not null
      ) ${end}`.execute(db);
      for (const index of [
        'admin_token_account on admin_token (account_id, created_at, id)',
        'audit_account on audit (account_id, id)',
        'account_time on account (created_at, id)',
        'project_time on project (account_id, created_at, id)',
        'api_key_time on api_key (account_id, created_at, id)',
        'transfer_time on transfer (credit_account_id, created_at, id)',
      ])
        await sql`create index ${sql.raw(index)}`.execute(db);
      await sql`insert into counter (name, value) values ('admin_token', 0)`.execute(db);
    },
  };
}
