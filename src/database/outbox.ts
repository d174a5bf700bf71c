import { randomUUIDv7 } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.js';

/** What webhooks tell of. */
export const eventTypes = ['balance.low', 'budget.reached', 'key.revoked', 'provider.down', 'provider.up'] as const;
export type EventType = (typeof eventTypes)[number];

/** Messages of one endpoint in the store, waiting and ended: what comes beyond them is not written. */
export const MAX_STORED = 20_000;

/** Whether an endpoint has room for a message. @param endpoint its id */
export function hasRoom(endpoint: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(select count(*) from webhook_delivery where endpoint_id = ${endpoint}) < ${sql.lit(MAX_STORED)}`;
}

/** Something that has happened. */
export interface StoredEvent {
  readonly type: EventType;
  /** Whom it concerns. Absent: the gateway itself, of which its operators alone are told. */
  readonly accountId?: string | undefined;
  /** What is told, as JSON on the wire; a few hundred bytes. */
  readonly data: object;
  /** Made by whoever may tell of the same thing twice, so that a repetition is not sent again; absent: made here. */
  readonly id?: string | undefined;
}

/**
 * A statement for the transaction of the change itself, so that neither change nor event is there without the other: it
 * leaves a message for each endpoint that wants the event. Where there is none it writes nothing.
 */
export function recordEvent(database: Database, { type, accountId, data, id = `evt_${randomUUIDv7()}` }: StoredEvent): RawBuilder<unknown> {
  const concerned = accountId === undefined ? sql`account_id is null` : sql`(account_id is null or account_id = ${accountId})`;
  const text = (value: string) => sql`cast(${value} as text)`;
  const now = database.clock();
  return sql`insert into webhook_delivery (endpoint_id, id, type, data, created_at, next_at)
    select id, ${text(id)}, ${text(type)}, ${text(JSON.stringify(data))}, ${now}, ${now} from webhook_endpoint
    where ${concerned} and disabled_at is null and events like ${`%"${type}"%`} and ${hasRoom(sql`webhook_endpoint.id`)}
    on conflict do nothing`;
}
