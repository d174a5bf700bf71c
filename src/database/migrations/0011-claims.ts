import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** What could not be collected of a request is collected from the leases of its account that give money back. */
export function claims(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table claim (
        lease_id text not null,
        request_id text not null,
        granted ${int} not null,
        primary key (lease_id, request_id)
      ) ${end}`.execute(db);
    },
  };
}
