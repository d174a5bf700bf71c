import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Where the dashboard of a gateway is reached, for links that the command line makes. */
export const pagesOfGateways: Migration = {
  async up(db) {
    await sql`alter table gateway add column pages text`.execute(db);
  },
};
