import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/**
 * What keys and projects take in memory is counted by account, and what has changed is found, however many keys,
 * projects and tokens have ended.
 */
export function spaceOfAccounts(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  return {
    async up(db) {
      for (const table of ['api_key', 'project'])
        await sql`alter table ${sql.ref(table)} add column rules_bytes ${int} not null default 0`.execute(db);
      await sql`update api_key set rules_bytes = coalesce(octet_length(rules), 0) + coalesce(octet_length(metadata), 0)
        where rules is not null or metadata is not null`.execute(db);
      await sql`update project set rules_bytes = octet_length(rules) where rules is not null`.execute(db);
      await sql`create index api_key_valid on api_key (account_id, expires_at, rules_bytes) where revoked_at is null`.execute(db);
      await sql`create index project_open on project (account_id, rules_bytes) where archived_at is null`.execute(db);
      await sql`create index admin_token_valid on admin_token (account_id, expires_at) where revoked_at is null`.execute(db);
      await sql`create index project_version on project (version)`.execute(db);
    },
  };
}
