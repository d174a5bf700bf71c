import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A counter for everything that processes keep in memory, so that each can tell what it has not seen. */
export function changeCounters(): Migration {
  return {
    async up(db) {
      await sql`insert into counter (name, value) values ('model_switch', 0), ('price', 0)`.execute(db);
    },
  };
}
