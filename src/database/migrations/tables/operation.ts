import type { ColumnTypes, Tables } from './tables.js';

/** What gateways, providers and webhooks need. */
export const operationTables = ({ int, bytes }: ColumnTypes): Tables => ({
  counter: `
    name text not null primary key,
    value ${int} not null`,
  setting: `
    name text not null primary key,
    value text not null`,
  gateway: `
    id text not null primary key,
    host text not null,
    pid ${int} not null,
    version text not null,
    started_at ${int} not null,
    seen_at ${int} not null,
    open_requests ${int} not null,
    pages text`,
  model_switch: `
    model text not null check (length(model) between 1 and 512),
    provider text not null,
    message text not null check (length(message) between 1 and 500),
    created_at ${int} not null,
    primary key (model, provider)`,
  performance: `
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
    primary key (bucket, provider, model, node_id)`,
  performance_history: `
    quarter ${int} not null,
    provider text not null,
    model text not null,
    served ${int} not null,
    failed ${int} not null,
    total_ms ${int} not null,
    tokens ${int} not null,
    streams ${int} not null,
    first_token_ms ${int} not null,
    primary key (quarter, provider, model)`,
  provider_status: `
    provider text not null primary key,
    down ${int} not null,
    changed_at ${int} not null`,
  provider_outage: `
    provider text not null,
    node_id text not null,
    until ${int} not null,
    primary key (provider, node_id)`,
  stored_provider: `
    id text not null primary key check (length(id) <= 63),
    settings ${bytes} not null,
    created_at ${int} not null,
    disabled_at ${int},
    message text check (length(message) <= 500),
    version ${int} not null`,
  webhook_endpoint: `
    id text not null primary key,
    account_id text references account (id),
    url text not null,
    events text not null,
    secret ${bytes} not null,
    low_balance_below ${int},
    created_at ${int} not null,
    disabled_at ${int},
    failing_since ${int},
    version ${int} not null,
    description text not null default '',
    old_secret ${bytes},
    old_secret_until ${int},
    person_id text references person (id)`,
  webhook_delivery: `
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
    primary key (endpoint_id, id)`,
  low_balance_watch: `
    endpoint_id text not null,
    account_id text not null,
    environment text not null,
    event_id text not null,
    primary key (account_id, environment, endpoint_id)`,
});

export const operationIndexes = [
  'unique index webhook_endpoint_person on webhook_endpoint (account_id, person_id) where person_id is not null',
  'index webhook_delivery_due on webhook_delivery (next_at) where next_at is not null',
  'index webhook_delivery_waiting on webhook_delivery (created_at) where next_at is not null',
];
