import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Every request paid for them: a key's usage is found by its account's, and what is old by its id, which begins with
 * the time.
 */
export const fewerIndexes: Migration = {
  async up(db) {
    for (const name of ['usage_key', 'request_record_time']) await sql`drop index ${sql.ref(name)}`.execute(db);
  },
};
