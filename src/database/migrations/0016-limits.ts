import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** What several processes count together against limits. On SQLite one process counts, in memory. */
export function limits(engine: Engine): Migration {
  return {
    async up(db) {
      if (engine === 'sqlite') return;
      await sql`create table limit_bucket (
        subject text not null,
        kind text not null,
        level bigint not null,
        at bigint not null,
        capacity bigint not null,
        rate bigint not null,
        need bigint not null,
        want bigint not null,
        back bigint not null,
        granted bigint not null,
        primary key (subject, kind)
      )`.execute(db);
      await sql`create table limit_place (
        subject text not null primary key,
        holders jsonb not null,
        at bigint not null,
        node text not null,
        places bigint not null,
        used bigint not null,
        wanted bigint not null,
        others bigint not null,
        granted bigint not null
      )`.execute(db);
    },
  };
}
