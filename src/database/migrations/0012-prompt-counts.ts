import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How the prompt of an open request is counted, so that it is charged by components where its process dies. */
export const promptCounts: Migration = {
  async up(db) {
    await sql`alter table inflight add column prompts text`.execute(db);
  },
};
