import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Whom an endpoint of webhooks stands for where messages go by mail. */
export const balanceMails: Migration = {
  async up(db) {
    await sql`alter table webhook_endpoint add column person_id text references person (id)`.execute(db);
    await sql`create unique index webhook_endpoint_person on webhook_endpoint (account_id, person_id)
      where person_id is not null`.execute(db);
  },
};
