import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Accounts can be suspended for a time, and closed for good. */
export const statusOfAccounts: Migration = {
  async up(db) {
    await sql`alter table account add column status text not null default 'active'
      check (status in ('active', 'suspended', 'closed'))`.execute(db);
  },
};
