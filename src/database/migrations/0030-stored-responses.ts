import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** Responses that are kept for later requests, and those that are generated in the background. */
export function storedResponses(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const bytes = sql.raw(engine === 'sqlite' ? 'blob' : 'bytea');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table stored_response (
        id text not null primary key,
        account_id text not null references account (id),
        environment text not null check (environment in ('live', 'test')),
        status text not null check (status in ('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled')),
        background ${int} not null,
        previous_id text,
        turns ${int} not null,
        bytes ${int} not null,
        conversation_bytes ${int} not null,
        node_id text,
        lease_until ${int},
        input ${bytes} not null,
        answer ${bytes} not null
      ) ${end}`.execute(db);
      await sql`create index stored_response_account on stored_response (account_id, id, bytes)`.execute(db);
      await sql`create index stored_response_running on stored_response (account_id, lease_until) where node_id is not null`.execute(db);
      await sql`insert into counter (name, value) values ('stored_response', 0)`.execute(db);
    },
  };
}
