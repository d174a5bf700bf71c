import type { Selectable } from 'kysely';
import { MAX_NANO } from '../common/prices/credits.js';
import { type EventType, eventTypes } from '../database/outbox.js';
import type { WebhookEndpointTable } from '../database/webhook-tables.js';

/** An address that is told of events. Times are milliseconds since 1970. */
export interface WebhookEndpoint {
  readonly id: string;
  /** The account of whose events it is told; absent: an operator's, which is told of everything. */
  readonly accountId?: string | undefined;
  /** Who is told by mail instead of at `url`. */
  readonly personId?: string | undefined;
  readonly url: string;
  readonly events: readonly EventType[];
  /** A balance that falls below this is low; nano-credits. */
  readonly lowBalanceBelow?: bigint | undefined;
  readonly createdAt: number;
  readonly disabledAt?: number | undefined;
  /** When a message was last given up, with none delivered since. */
  readonly failingSince?: number | undefined;
  /** What it is for. */
  readonly description: string;
  /** Until when the secret of before signs as well. */
  readonly oldSecretUntil?: number | undefined;
  /** Grows with each change. */
  readonly version: bigint;
}

export interface NewWebhookEndpoint {
  /** Made by whoever asks, so that a repetition makes nothing new; absent: made here. */
  readonly id?: string | undefined;
  readonly accountId?: string | undefined;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly lowBalanceBelow?: bigint | undefined;
  readonly description?: string | undefined;
}

/** What may change of an endpoint. */
export interface WebhookEndpointChange {
  readonly url?: string | undefined;
  readonly events?: readonly EventType[] | undefined;
  /** Null where no balance is called low any more. */
  readonly lowBalanceBelow?: bigint | null | undefined;
  readonly description?: string | undefined;
  /** Whether it is told of anything; messages that wait for one that is disabled end. */
  readonly enabled?: boolean | undefined;
}

/** An endpoint with its secret, which is shown once, when it is made. */
export interface MadeWebhookEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
  /** The secret of before, which signs as well until `oldSecretUntil`. */
  readonly oldSecret?: string | undefined;
}

/** @throws RangeError */
export function requireEvents(events: readonly EventType[], accountId: string | undefined, lowBalanceBelow: bigint | undefined): void {
  const unknown = events.find((event) => !eventTypes.includes(event));
  if (unknown !== undefined) throw new RangeError(`there is no event ${unknown}: there are ${eventTypes.join(', ')}`);
  if (events.length === 0) throw new RangeError(`a webhook is told of at least one of ${eventTypes.join(', ')}`);
  if (accountId !== undefined && events.some((event) => event.startsWith('provider.')))
    throw new RangeError('only operators are told of providers');
  if (events.includes('balance.low') !== (lowBalanceBelow !== undefined))
    throw new RangeError('balance.low goes with the balance that is called low');
  if (lowBalanceBelow !== undefined && (lowBalanceBelow <= 0n || lowBalanceBelow > MAX_NANO))
    throw new RangeError('a balance that is called low is more than 0 credits');
}

export function toEndpoint(row: Selectable<WebhookEndpointTable>): WebhookEndpoint {
  return {
    id: row.id,
    accountId: row.account_id ?? undefined,
    personId: row.person_id ?? undefined,
    url: row.url,
    events: JSON.parse(row.events) as EventType[],
    lowBalanceBelow: row.low_balance_below ?? undefined,
    createdAt: Number(row.created_at),
    disabledAt: row.disabled_at === null ? undefined : Number(row.disabled_at),
    failingSince: row.failing_since === null ? undefined : Number(row.failing_since),
    description: row.description,
    oldSecretUntil: row.old_secret_until === null ? undefined : Number(row.old_secret_until),
    version: row.version,
  };
}
