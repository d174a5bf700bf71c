import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.js';

/**
 * What keys, projects and accounts have spent in each period of a budget, and what processes may spend of it. Whoever
 * changes the two has locked the balance. `balance.budgeted` tells a process that charges it that there are some.
 */
export function budgets(engine: Engine): Migration {
  const int = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const end = sql.raw(engine === 'sqlite' ? 'strict' : '');
  return {
    async up(db) {
      await sql`create table budget (
        name text not null primary key,
        account_id text not null,
        environment text not null check (environment in ('live', 'test')),
        ceiling ${int} not null check (ceiling >= 0),
        spent ${int} not null check (spent >= 0),
        reserved ${int} not null check (reserved >= 0),
        recall ${int} not null default 0,
        recall_until ${int} not null default 0,
        foreign key (account_id, environment) references balance (account_id, environment)
      ) ${end}`.execute(db);
      await sql`create table budget_share (
        id text not null primary key,
        budget text not null references budget (name),
        node_id text not null,
        amount ${int} not null check (amount > 0),
        recalled ${int} not null,
        expires_at ${int} not null
      ) ${end}`.execute(db);
      await sql`create index budget_share_budget on budget_share (budget)`.execute(db);
      await sql`create index budget_recall on budget (recall_until) where recall_until > 0`.execute(db);
      await sql`alter table balance add column budgeted ${int} not null default 0`.execute(db);
    },
  };
}
