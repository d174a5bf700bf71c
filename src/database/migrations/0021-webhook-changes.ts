import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** What webhooks are for, the secret of before that still signs, and which budgets they were told of. */
export function webhookChanges(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const bytes = sql.raw(engine === 'sqlite' ? 'blob' : 'bytea');
  return {
    async up(db) {
      await sql`alter table budget add column told_limit ${int}`.execute(db);
      await sql`alter table webhook_endpoint add column description text not null default ''`.execute(db);
      await sql`alter table webhook_endpoint add column old_secret ${bytes}`.execute(db);
      await sql`alter table webhook_endpoint add column old_secret_until ${int}`.execute(db);
      await sql`create index webhook_delivery_waiting on webhook_delivery (created_at) where next_at is not null`.execute(db);
    },
  };
}
