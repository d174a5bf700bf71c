import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

const COUNTED = [
  ['stored_response', 'responses'],
  ['idempotency_key', 'answers'],
] as const;

/** When a row counts, and what is done then. */
const EVENTS = [
  ['added', 'insert on', 'new', 'add'],
  ['grown', 'update of bytes on', 'new', 'add'],
  ['shrunk', 'update of bytes on', 'old', 'take'],
  ['deleted', 'delete on', 'old', 'take'],
] as const;

const ADD = (kind: string) => `insert into stored_space (account_id, kind, entries, bytes) values (new.account_id, ${kind}, 1, new.bytes)
  on conflict (account_id, kind) do update set entries = stored_space.entries + 1, bytes = stored_space.bytes + excluded.bytes;`;
const TAKE = (kind: string) => `update stored_space set entries = entries - 1, bytes = bytes - old.bytes
  where account_id = old.account_id and kind = ${kind};`;

/** What is stored of an account is counted as it is written, whichever statement writes or deletes it. */
export function storedSpace(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table stored_space (
        account_id text not null,
        kind text not null check (kind in ('responses', 'answers')),
        entries ${int} not null,
        bytes ${int} not null,
        primary key (account_id, kind)
      ) ${end}`.execute(db);
      await sql`alter table idempotency_key add column account_id text`.execute(db);
      await sql`alter table idempotency_key add column bytes ${int} not null default 0`.execute(db);
      await sql`create index idempotency_key_kept on idempotency_key (account_id, created_at) where bytes > 0`.execute(db);
      await sql`insert into stored_space select account_id, 'responses', count(*), sum(bytes) from stored_response group by account_id`.execute(
        db,
      );
      await (engine === 'sqlite' ? countInSqlite(db) : countInPostgres(db));
    },
  };
}

async function countInSqlite(db: Kysely<unknown>): Promise<void> {
  for (const [table, kind] of COUNTED)
    for (const [name, event, row, what] of EVENTS) {
      const statement = (what === 'add' ? ADD : TAKE)(`'${kind}'`);
      await sql.raw(`create trigger ${table}_${name} after ${event} ${table} when ${row}.bytes > 0 begin ${statement} end`).execute(db);
    }
}

async function countInPostgres(db: Kysely<unknown>): Promise<void> {
  for (const [name, statement] of [
    ['add', ADD],
    ['take', TAKE],
  ] as const)
    await sql
      .raw(
        `create function stored_space_${name}() returns trigger language plpgsql as
        $$ begin ${statement('tg_argv[0]')} return null; end $$`,
      )
      .execute(db);
  for (const [table, kind] of COUNTED)
    for (const [name, event, row, what] of EVENTS)
      await sql
        .raw(
          `create trigger ${table}_${name} after ${event} ${table} for each row when (${row}.bytes > 0)
        execute function stored_space_${what}('${kind}')`,
        )
        .execute(db);
}
