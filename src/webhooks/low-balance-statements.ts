import { type Compilable, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.js';
import type { Engine } from '../database/engine.js';
import { jsonTexts } from '../database/json-rows.js';
import { hasRoom } from '../database/outbox.js';
import { PreparedQuery } from '../database/prepared-query.js';

/**
 * A statement that watches the balances which are not low now: of one endpoint, or of one account after credits were
 * added. A balance is told of when it is watched and falls below what the endpoint calls low, and is watched again only
 * when it is not low any more: each fall is told once, also where a balance has never been above.
 */
export function watchBalancesFor(
  database: Database,
  which: { readonly endpointId: string } | { readonly accountId: string },
): RawBuilder<unknown> {
  const chosen = 'endpointId' in which ? sql`e.id = ${which.endpointId}` : sql`b.account_id = ${which.accountId}`;
  return sql`insert into low_balance_watch (endpoint_id, account_id, environment, event_id)
    select e.id, b.account_id, b.environment, ${randomId(database.engine)} from webhook_endpoint e
    join balance b on e.account_id is null or e.account_id = b.account_id
    where ${chosen} and b.kind = 'customer' and e.disabled_at is null and b.posted >= e.low_balance_below
    on conflict do nothing`;
}

const tell = new PreparedQuery<{ accounts: string }>((database, { accounts }) => {
  const { db, engine } = database;
  const now = database.clock();
  const data = jsonObject(engine, {
    account_id: sql`w.account_id`,
    environment: sql`w.environment`,
    balance: credits(sql`b.posted`),
    low_balance_below: credits(sql`e.low_balance_below`),
  });
  const query = sql`insert into webhook_delivery (endpoint_id, id, type, data, created_at, next_at)
    select w.endpoint_id, w.event_id, 'balance.low', ${data}, ${now}, ${now} from low_balance_watch w
    join balance b on b.account_id = w.account_id and b.environment = w.environment
    join webhook_endpoint e on e.id = w.endpoint_id
    where w.account_id in ${jsonTexts(engine, accounts)} and b.posted < e.low_balance_below and e.disabled_at is null
    and ${hasRoom(sql`w.endpoint_id`)}
    on conflict do nothing`;
  return { compile: () => query.compile(db) };
});

const forget = new PreparedQuery<{ accounts: string }>(({ db, engine }, { accounts }) => {
  const query = sql`delete from low_balance_watch where account_id in ${jsonTexts(engine, accounts)} and exists (
    select 1 from balance b join webhook_endpoint e on e.id = low_balance_watch.endpoint_id
    where b.account_id = low_balance_watch.account_id and b.environment = low_balance_watch.environment
    and b.posted < e.low_balance_below)`;
  return { compile: () => query.compile(db) };
});

/**
 * The statements that tell of balances which have fallen, for the transaction that has changed them: it holds the locks
 * of their rows.
 */
export function tellFallen(database: Database, accountIds: readonly string[]): Compilable[] {
  const accounts = JSON.stringify(accountIds);
  return [tell.with(database, { accounts }), forget.with(database, { accounts })];
}

function randomId(engine: Engine): RawBuilder<string> {
  return engine === 'sqlite' ? sql`'evt_' || lower(hex(randomblob(16)))` : sql`'evt_' || replace(cast(gen_random_uuid() as text), '-', '')`;
}

function jsonObject(engine: Engine, fields: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<string> {
  const list = sql.join(Object.entries(fields).flatMap(([name, value]) => [sql.lit(name), value]));
  return engine === 'sqlite' ? sql`json_object(${list})` : sql`cast(json_build_object(${list}) as text)`;
}

/** Nano-credits, 0 or more, as formatCredits writes them. */
function credits(nano: RawBuilder<unknown>): RawBuilder<string> {
  const fraction = sql`substr(cast(1000000000 + ${nano} % 1000000000 as text), 2)`;
  return sql`rtrim(rtrim(cast(${nano} / 1000000000 as text) || '.' || ${fraction}, '0'), '.')`;
}
