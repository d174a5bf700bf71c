import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** People, the accounts that they are members of, and how they come in: sessions, links, invitations, identities. */
export function people(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table person (
        id text not null primary key,
        email text not null unique check (length(email) between 3 and 254),
        name text not null check (length(name) <= 200),
        password text,
        operator ${int} not null check (operator in (0, 1)),
        created_at ${int} not null,
        disabled_at ${int},
        version ${int} not null
      ) ${end}`.execute(db);
      await sql`create table membership (
        account_id text not null references account (id),
        person_id text not null references person (id),
        role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
        created_at ${int} not null,
        primary key (account_id, person_id)
      ) ${end}`.execute(db);
      await sql`create table session (
        id text not null primary key,
        digest text not null unique check (length(digest) = 64),
        person_id text not null references person (id),
        opened_by text not null check (opened_by in ('password', 'link', 'invitation', 'oidc')),
        user_agent text not null check (length(user_agent) <= 300),
        address text,
        created_at ${int} not null,
        seen_at ${int} not null,
        expires_at ${int} not null,
        ended_at ${int},
        version ${int} not null
      ) ${end}`.execute(db);
      await sql`create table sign_in_link (
        digest text not null primary key check (length(digest) = 64),
        person_id text not null references person (id),
        created_at ${int} not null,
        expires_at ${int} not null
      ) ${end}`.execute(db);
      await sql`create table invitation (
        id text not null primary key,
        digest text not null unique check (length(digest) = 64),
        email text not null check (length(email) between 3 and 254),
        role text not null check (role in ('operator', 'owner', 'admin', 'developer', 'viewer')),
        account_id text references account (id) check ((account_id is null) = (role = 'operator')),
        created_at ${int} not null,
        expires_at ${int} not null
      ) ${end}`.execute(db);
      await sql`create table oidc_identity (
        issuer text not null,
        subject text not null,
        person_id text not null references person (id),
        created_at ${int} not null,
        primary key (issuer, subject)
      ) ${end}`.execute(db);
      await sql`create table sign_in_failure (
        subject text not null primary key,
        failures ${int} not null,
        until ${int} not null
      ) ${end}`.execute(db);
      for (const index of [
        'person_time on person (created_at, id)',
        'membership_person on membership (person_id)',
        'session_person on session (person_id)',
        'invitation_account on invitation (account_id, created_at, id)',
      ])
        await sql`create index ${sql.raw(index)}`.execute(db);
      await sql`insert into counter (name, value) values ('person', 0)`.execute(db);
      await letUsersAct(db, engine);
    },
  };
}

/** Lets lines of the audit log name a user. SQLite cannot change a check: the table is made again. */
async function letUsersAct(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === 'postgres') {
    await sql`alter table audit drop constraint audit_actor_kind_check,
      add constraint audit_actor_kind_check check (actor_kind in ('token', 'cli', 'user'))`.execute(db);
    return;
  }
  await sql`alter table audit rename to audit_before`.execute(db);
  await sql`create table audit (
    id text not null primary key,
    created_at integer not null,
    actor_kind text not null check (actor_kind in ('token', 'cli', 'user')),
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
}
