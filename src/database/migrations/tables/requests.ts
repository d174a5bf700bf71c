import type { ColumnTypes, Tables } from './tables.js';

/** What is kept of requests beside what they cost. */
export const requestsTables = ({ int, bytes, environment }: ColumnTypes): Tables => ({
  request_record: `
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
    error_message text,
    attempts text not null,
    prompt_tokens ${int},
    completion_tokens ${int},
    price_prompt ${int},
    price_completion ${int},
    dropped_parameters text not null`,
  request_text: `
    request_id text not null primary key,
    created_at ${int} not null,
    request text not null,
    answer text`,
  idempotency_key: `
    digest text not null primary key check (length(digest) = 64),
    fingerprint text not null check (length(fingerprint) = 64),
    request_id text not null,
    created_at ${int} not null,
    answer ${bytes},
    account_id text,
    bytes ${int} not null default 0`,
  stored_response: `
    id text not null primary key,
    account_id text not null references account (id),
    environment ${environment},
    status text not null check (status in ('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled')),
    background ${int} not null,
    previous_id text,
    turns ${int} not null,
    bytes ${int} not null,
    conversation_bytes ${int} not null,
    node_id text,
    lease_until ${int},
    input ${bytes} not null,
    answer ${bytes} not null`,
  stored_space: `
    account_id text not null,
    kind text not null check (kind in ('responses', 'answers')),
    entries ${int} not null,
    bytes ${int} not null,
    primary key (account_id, kind)`,
});

export const requestsIndexes = [
  'index request_record_client on request_record (client_request_id, account_id, request_id) where client_request_id is not null',
  'index idempotency_key_time on idempotency_key (created_at)',
  'index idempotency_key_kept on idempotency_key (account_id, created_at) where bytes > 0',
  'index stored_response_account on stored_response (account_id, id, bytes)',
  'index stored_response_running on stored_response (account_id, lease_until) where node_id is not null',
];
