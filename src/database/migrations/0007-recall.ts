import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** A request that finds too little asks all who have leased from its account for what they do not use. */
export function recall(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  return {
    async up(db) {
      await sql`alter table balance add column recall ${int} not null default 0`.execute(db);
      await sql`alter table balance add column recall_until ${int} not null default 0`.execute(db);
      await sql`alter table lease add column recalled ${int} not null default 0`.execute(db);
      await sql`create index balance_recall on balance (recall_until) where recall_until > 0`.execute(db);
      await sql`insert into counter (name, value) values ('recall', 0)`.execute(db);
    },
  };
}
