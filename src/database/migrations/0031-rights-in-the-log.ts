import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What somebody might do before and after a change of their rights. */
export const rightsInTheLog: Migration = {
  async up(db) {
    await sql`alter table audit add column rights_before text`.execute(db);
    await sql`alter table audit add column rights_after text`.execute(db);
  },
};
