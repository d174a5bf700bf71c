import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/** What a provider counts beyond the hold is collected from the balance: charge <= hold + collected. */
export function collection(engine: Engine): Migration {
  return { up: engine === 'sqlite' ? rebuild : alter };
}

const law = sql`check (collected >= 0 and amount <= hold + coalesce(collected, 0))`;

/** The rows that are there keep the law, as they kept its stricter predecessor: they need not be read. */
async function alter(db: Kysely<unknown>): Promise<void> {
  await sql`alter table usage drop constraint usage_check, add column collected bigint, add ${law} not valid`.execute(db);
}

/** SQLite cannot take a check out of a table: the rows move to a new one. */
async function rebuild(db: Kysely<unknown>): Promise<void> {
  await sql`create table usage_next (
    request_id text not null primary key,
    account_id text not null,
    environment text not null check (environment in ('live', 'test')),
    key_id text not null,
    operation text not null,
    model text not null,
    provider text,
    price_id text,
    price_prompt integer not null check (price_prompt >= 0),
    price_completion integer not null check (price_completion >= 0),
    prompt_tokens integer not null check (prompt_tokens >= 0),
    completion_tokens integer not null check (completion_tokens >= 0),
    hold integer not null,
    amount integer not null check (amount >= 0),
    collected integer,
    uncollected integer not null check (uncollected >= 0),
    outcome text not null,
    estimated integer not null check (estimated in (0, 1)),
    created_at integer not null,
    ${law},
    foreign key (key_id, account_id, environment) references api_key (id, account_id, environment)
  ) strict`.execute(db);
  const columns = sql.raw(
    'request_id, account_id, environment, key_id, operation, model, provider, price_id, price_prompt, price_completion, ' +
      'prompt_tokens, completion_tokens, hold, amount, uncollected, outcome, estimated, created_at',
  );
  await sql`insert into usage_next (${columns}) select ${columns} from usage`.execute(db);
  await sql`drop table usage`.execute(db);
  await sql`alter table usage_next rename to usage`.execute(db);
  await sql`create index usage_account on usage (account_id, environment, created_at)`.execute(db);
}
