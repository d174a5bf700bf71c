import type { Defaulted, DefaultedInt, EnvironmentColumn, Int, OptionalInt } from './columns.js';

/** An address, or a person, who is told of events. */
export interface WebhookEndpointTable {
  id: string;
  /** The account of whose events it is told; null: an operator's, which is told of everything. */
  account_id: string | null;
  /** Who is told by mail, of balances alone; null: a webhook. */
  person_id: Defaulted<string | null>;
  /** Empty where it is told by mail. */
  url: string;
  /** JSON: the types of events that it wants. */
  events: string;
  /** What signs its messages, encrypted. */
  secret: Uint8Array;
  low_balance_below: OptionalInt;
  created_at: Int;
  disabled_at: OptionalInt;
  /** When a message was last given up, with none delivered since. */
  failing_since: OptionalInt;
  /** The value of the counter `webhook` at the last change. */
  version: Int;
  description: Defaulted<string>;
  /** The secret of before, which signs beside the other one until `old_secret_until`; encrypted. */
  old_secret: Defaulted<Uint8Array | null>;
  old_secret_until: OptionalInt;
}

/** A message to one endpoint, written with the change that it tells of. Rows are kept for a while after their end. */
export interface WebhookDeliveryTable {
  endpoint_id: string;
  /** The id of the event, which is the same for each endpoint and each attempt. */
  id: string;
  type: string;
  /** JSON: what the event tells. */
  data: string;
  created_at: Int;
  /** Attempts that have begun. */
  attempts: DefaultedInt;
  /** When the next attempt may begin; null where there will be none. */
  next_at: OptionalInt;
  delivered_at: OptionalInt;
  /** HTTP status of the last attempt; null where there was none. */
  last_status: OptionalInt;
  last_error: Defaulted<string | null>;
}

/**
 * A balance that has been at or above what an endpoint calls low, and of whose fall below it the endpoint will be told.
 */
export interface LowBalanceWatchTable {
  endpoint_id: string;
  account_id: string;
  environment: EnvironmentColumn;
  /** The id of the event to come. */
  event_id: string;
}

/** What was last told of a provider: 1 where it is down. */
export interface ProviderStatusTable {
  provider: string;
  down: Int;
  changed_at: Int;
}

/** One gateway process to which a provider is down. */
export interface ProviderOutageTable {
  provider: string;
  node_id: string;
  /** The process renews the row before; afterwards it counts as gone. */
  until: Int;
}
