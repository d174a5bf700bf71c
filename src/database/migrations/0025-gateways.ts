import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** The gateway processes that serve, each with a row that it renews. */
export function gateways(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  return {
    async up(db) {
      await sql`create table gateway (
        id text not null primary key,
        host text not null,
        pid ${int} not null,
        version text not null,
        started_at ${int} not null,
        seen_at ${int} not null,
        open_requests ${int} not null
      ) ${sql.raw(engine === 'sqlite' ? 'strict' : '')}`.execute(db);
    },
  };
}
