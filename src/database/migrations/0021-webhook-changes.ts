import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** What has to be known so that each budget that is reached is told of once. */
export function webhookChanges(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  return {
    async up(db) {
      await sql`alter table budget add column told_limit ${int}`.execute(db);
    },
  };
}
