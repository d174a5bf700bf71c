import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** Which links were sent because somebody asked for one who was not signed in. */
export function linksAskedFor(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  return {
    async up(db) {
      await sql`alter table sign_in_link add column asked_for ${int} not null default 0`.execute(db);
    },
  };
}
