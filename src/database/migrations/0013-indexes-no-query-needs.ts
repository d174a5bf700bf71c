import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Old texts are found by their ids, which begin with the time. Leases are few, and each flush moved them in the index.
 * The records of an account are read newest first, in the order of their ids, as those of a key or a model are.
 */
export const indexesNoQueryNeeds: Migration = {
  async up(db) {
    for (const name of ['request_text_time', 'lease_expiry', 'request_record_account']) await sql`drop index ${sql.ref(name)}`.execute(db);
  },
};
