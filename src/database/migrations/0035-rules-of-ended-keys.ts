import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Keys that are revoked and projects that are archived have no rules any more. */
export const rulesOfEndedKeys: Migration = {
  async up(db) {
    await sql`update api_key set rules = null, rules_bytes = coalesce(octet_length(metadata), 0)
      where revoked_at is not null and rules is not null`.execute(db);
    await sql`update project set rules = null, rules_bytes = 0 where archived_at is not null and rules is not null`.execute(db);
  },
};
