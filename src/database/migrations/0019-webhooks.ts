import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** Webhooks, what they are to be sent, and what has to be known so that each thing is told once. */
export function webhooks(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const bytes = sql.raw(engine === 'sqlite' ? 'blob' : 'bytea');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table webhook_endpoint (
        id text not null primary key,
        account_id text references account (id),
        url text not null,
        events text not null,
        secret ${bytes} not null,
        low_balance_below ${int},
        created_at ${int} not null,
        disabled_at ${int},
        failing_since ${int},
        version ${int} not null
      ) ${end}`.execute(db);
      // Without a foreign key, so that an endpoint that is removed meanwhile never fails the change that is told of.
      await sql`create table webhook_delivery (
        endpoint_id text not null,
        id text not null,
        type text not null,
        data text not null,
        created_at ${int} not null,
        attempts ${int} not null default 0,
        next_at ${int},
        delivered_at ${int},
        last_status ${int},
        last_error text,
        primary key (endpoint_id, id)
      ) ${end}`.execute(db);
      await sql`create index webhook_delivery_due on webhook_delivery (next_at) where next_at is not null`.execute(db);
      await sql`create table low_balance_watch (
        endpoint_id text not null,
        account_id text not null,
        environment text not null,
        event_id text not null,
        primary key (account_id, environment, endpoint_id)
      ) ${end}`.execute(db);
      await sql`create table provider_status (
        provider text not null primary key,
        down ${int} not null,
        changed_at ${int} not null
      ) ${end}`.execute(db);
      await sql`create table provider_outage (
        provider text not null,
        node_id text not null,
        until ${int} not null,
        primary key (provider, node_id)
      ) ${end}`.execute(db);
      await sql`insert into counter (name, value) values ('webhook', 0)`.execute(db);
    },
  };
}
