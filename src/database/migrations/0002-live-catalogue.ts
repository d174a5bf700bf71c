import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** What the catalogue shares between gateways: the operator's switches and the figures of each one's traffic. */
export function liveCatalogue(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table model_switch (
        model text not null check (length(model) between 1 and 512),
        provider text not null,
        message text not null check (length(message) between 1 and 500),
        created_at ${int} not null,
        primary key (model, provider)
      ) ${end}`.execute(db);
      // The time comes first in the key: what is read and what is deleted are ranges of it.
      await sql`create table performance (
        bucket ${int} not null,
        provider text not null,
        model text not null,
        node_id text not null,
        served ${int} not null check (served >= 0),
        failed ${int} not null check (failed >= 0),
        total_ms ${int} not null check (total_ms >= 0),
        tokens ${int} not null check (tokens >= 0),
        streams ${int} not null check (streams >= 0),
        first_token_ms ${int} not null check (first_token_ms >= 0),
        primary key (bucket, provider, model, node_id)
      ) ${end}`.execute(db);
    },
  };
}
