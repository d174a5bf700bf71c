import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** The two system accounts, the other side of every movement of money. */
const SYSTEM_ACCOUNTS = ['system:grants', 'system:revenue'] as const;

export function firstSchema(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  const environment = sql.raw(`text not null check (environment in ('live', 'test'))`);

  const tables = [
    sql`create table account (
      id text not null primary key,
      name text not null unique check (length(name) between 1 and 200),
      kind text not null check (kind in ('customer', 'system')),
      created_at ${int} not null,
      unique (id, kind)
    ) ${end}`,
    sql`create table balance (
      account_id text not null,
      environment ${environment},
      kind text not null,
      posted ${int} not null,
      reserved ${int} not null check (reserved >= 0),
      primary key (account_id, environment),
      foreign key (account_id, kind) references account (id, kind),
      check (kind = 'system' or posted >= reserved),
      check (kind = 'customer' or reserved = 0)
    ) ${end}`,
    sql`create table transfer (
      id text not null primary key,
      environment ${environment},
      debit_account_id text not null,
      credit_account_id text not null check (credit_account_id <> debit_account_id),
      amount ${int} not null check (amount > 0),
      kind text not null,
      note text not null default '',
      created_at ${int} not null,
      foreign key (debit_account_id, environment) references balance (account_id, environment),
      foreign key (credit_account_id, environment) references balance (account_id, environment)
    ) ${end}`,
    sql`create table api_key (
      id text not null primary key,
      account_id text not null,
      environment ${environment},
      digest text not null unique check (length(digest) = 64),
      pepper_version ${int} not null,
      label text not null check (length(label) <= 200),
      display text not null,
      created_at ${int} not null,
      expires_at ${int},
      revoked_at ${int},
      version ${int} not null unique,
      unique (id, account_id, environment),
      foreign key (account_id, environment) references balance (account_id, environment)
    ) ${end}`,
    sql`create table lease (
      id text not null primary key,
      account_id text not null,
      environment ${environment},
      node_id text not null,
      granted ${int} not null check (granted > 0),
      spent ${int} not null check (spent between 0 and granted),
      expires_at ${int} not null,
      foreign key (account_id, environment) references balance (account_id, environment)
    ) ${end}`,
    // The reference to the key holds the environments apart: a test key's request cannot touch a live balance.
    sql`create table inflight (
      request_id text not null primary key,
      node_id text not null,
      lease_id text references lease (id),
      account_id text not null,
      environment ${environment},
      key_id text not null,
      operation text not null,
      model text not null,
      price_prompt ${int} not null check (price_prompt >= 0),
      price_completion ${int} not null check (price_completion >= 0),
      hold ${int} not null check (hold >= 0),
      prompt_tokens ${int} not null check (prompt_tokens >= 0),
      completion_tokens ${int} not null check (completion_tokens >= 0),
      started_at ${int} not null,
      foreign key (key_id, account_id, environment) references api_key (id, account_id, environment)
    ) ${end}`,
    sql`create table usage (
      request_id text not null primary key,
      account_id text not null,
      environment ${environment},
      key_id text not null,
      operation text not null,
      model text not null,
      provider text,
      price_prompt ${int} not null check (price_prompt >= 0),
      price_completion ${int} not null check (price_completion >= 0),
      prompt_tokens ${int} not null check (prompt_tokens >= 0),
      completion_tokens ${int} not null check (completion_tokens >= 0),
      hold ${int} not null,
      amount ${int} not null check (amount >= 0),
      uncollected ${int} not null check (uncollected >= 0),
      outcome text not null,
      estimated ${int} not null check (estimated in (0, 1)),
      created_at ${int} not null,
      check (amount + uncollected <= hold),
      foreign key (key_id, account_id, environment) references api_key (id, account_id, environment)
    ) ${end}`,
    sql`create table price (
      id text not null primary key,
      model text not null,
      provider text not null,
      prompt ${int} not null check (prompt >= 0),
      completion ${int} not null check (completion >= 0),
      valid_from ${int} not null,
      unique (model, provider, valid_from)
    ) ${end}`,
    sql`create table counter (name text not null primary key, value ${int} not null) ${end}`,
    sql`create table setting (name text not null primary key, value text not null) ${end}`,
    sql`create table request_record (
      request_id text not null primary key,
      created_at ${int} not null,
      duration_ms ${int} not null,
      client_request_id text,
      key_id text,
      account_id text,
      environment text,
      operation text not null,
      model text,
      streamed ${int} not null,
      status ${int} not null,
      outcome text not null,
      error_code text,
      attempts text not null,
      prompt_tokens ${int},
      completion_tokens ${int},
      price_prompt ${int},
      price_completion ${int},
      dropped_parameters text not null
    ) ${end}`,
  ];

  const indexes = [
    'create index transfer_debit on transfer (debit_account_id, environment)',
    'create index transfer_credit on transfer (credit_account_id, environment)',
    'create index api_key_account on api_key (account_id, environment)',
    'create index lease_account on lease (account_id, environment)',
    'create index lease_expiry on lease (expires_at)',
    'create index inflight_lease on inflight (lease_id)',
    'create index usage_account on usage (account_id, environment, created_at)',
    'create index usage_key on usage (key_id, created_at)',
    'create index request_record_time on request_record (created_at)',
    'create index request_record_account on request_record (account_id, created_at)',
  ];

  return {
    async up(db) {
      for (const table of tables) await table.execute(db);
      for (const index of indexes) await sql.raw(index).execute(db);
      for (const table of ['transfer', 'price']) await neverChanged(engine, table, db);
      for (const id of SYSTEM_ACCOUNTS) {
        await sql`insert into account (id, name, kind, created_at) values (${id}, ${id}, 'system', 0)`.execute(db);
        await sql`insert into balance (account_id, environment, kind, posted, reserved)
          values (${id}, 'live', 'system', 0, 0), (${id}, 'test', 'system', 0, 0)`.execute(db);
      }
      await sql`insert into counter (name, value) values ('api_key', 0)`.execute(db);
    },
  };
}

/** Triggers that refuse to change or delete a row. */
async function neverChanged(engine: Engine, table: string, db: Kysely<unknown>): Promise<void> {
  const name = sql.raw(`${table}_never_changed`);
  const on = sql.raw(table);
  const message = sql.lit(`rows of ${table} are never changed`);
  if (engine === 'sqlite') {
    await sql`create trigger ${name}_by_update before update on ${on} begin select raise(abort, ${message}); end`.execute(db);
    await sql`create trigger ${name}_by_delete before delete on ${on} begin select raise(abort, ${message}); end`.execute(db);
  } else {
    await sql`create function ${name}() returns trigger language plpgsql as $$ begin raise exception ${message}; end $$`.execute(db);
    await sql`create trigger ${name} before update or delete on ${on} for each row execute function ${name}()`.execute(db);
  }
}
