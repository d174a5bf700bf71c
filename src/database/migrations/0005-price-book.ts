import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What was charged refers to the price that was in force. */
export const priceBook: Migration = {
  async up(db) {
    await sql`alter table usage add column price_id text`.execute(db);
  },
};
