import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** The keys of requests that clients may repeat, and the answers that a repeat is given. */
export function idempotencyKeys(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const bytes = sql.raw(engine === 'sqlite' ? 'blob' : 'bytea');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table idempotency_key (
        digest text not null primary key check (length(digest) = 64),
        fingerprint text not null check (length(fingerprint) = 64),
        request_id text not null,
        created_at ${int} not null,
        answer ${bytes}
      ) ${end}`.execute(db);
      await sql`create index idempotency_key_time on idempotency_key (created_at)`.execute(db);
    },
  };
}
