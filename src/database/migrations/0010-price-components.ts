import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * A price may tell components beside its two numbers, and a usage the counts that were charged by them. Rows of two
 * numbers have neither.
 */
export const priceComponents: Migration = {
  async up(db) {
    await sql`alter table price add column components text`.execute(db);
    await sql`alter table inflight add column price_components text`.execute(db);
    await sql`alter table usage add column price_components text`.execute(db);
    await sql`alter table usage add column parts text`.execute(db);
  },
};
