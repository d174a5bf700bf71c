import { type Compilable, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/database.js';
import { RowsInsert } from '../../database/insert-rows.js';
import { jsonColumn, type JsonColumns, jsonRow, type JsonRow, jsonRows, jsonText, jsonTexts } from '../../database/json-rows.js';
import { PreparedQuery } from '../../database/prepared-query.js';
import type { InflightTable } from '../../database/schema.js';
import type { Ending, Progress, RequestFacts } from '../hold/request-facts.js';
import type { Charged, LedgerRows } from './lease-protocol.js';

const requestColumns = {
  request_id: 'text',
  account_id: 'text',
  environment: 'text',
  key_id: 'text',
  operation: 'text',
  model: 'text',
  hold: 'int',
} as const satisfies JsonColumns;

const usageColumns = {
  ...requestColumns,
  provider: 'text',
  price_id: 'text',
  price_prompt: 'int',
  price_completion: 'int',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  amount: 'int',
  uncollected: 'int',
  outcome: 'text',
  estimated: 'int',
  created_at: 'int',
} as const satisfies JsonColumns;

const inflightColumns = {
  ...requestColumns,
  node_id: 'text',
  lease_id: 'text',
  price_prompt: 'int',
  price_completion: 'int',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  started_at: 'int',
} as const satisfies JsonColumns;

const progressColumns = {
  request_id: 'text',
  price_prompt: 'int',
  price_completion: 'int',
  prompt_tokens: 'int',
  completion_tokens: 'int',
} as const satisfies JsonColumns;

const insertUsage = new RowsInsert('usage', usageColumns);
const insertInflight = new RowsInsert('inflight', inflightColumns, { unlessThere: true });

const deleteInflight = new PreparedQuery<{ ids: string }>(({ db, engine }, { ids }) =>
  db.deleteFrom('inflight').where('request_id', 'in', jsonTexts(engine, ids)),
);

const advanceInflight = new PreparedQuery<{ rows: string }>(({ db, engine }, { rows }) => {
  const column = (name: string) => jsonColumn(progressColumns, name);
  const known = Object.keys(progressColumns)
    .filter((name) => name !== 'request_id')
    .map((name) => sql`${sql.ref(name)} = ${column(name)}`);
  const query = sql`update inflight set ${sql.join(known)} from ${jsonRows(engine, rows)} where inflight.request_id = ${column('request_id')}`;
  return { compile: () => query.compile(db) };
});

/**
 * The statements that write the usage rows of a batch of endings, once they are charged, and delete their rows in
 * `inflight`.
 * @param inflight ids of those that may have such a row
 * @param before the charges as they were before
 */
export function* endRequests(
  database: Database,
  endings: readonly Ending[],
  inflight: readonly string[],
  before: ReadonlyMap<string, Charged>,
  { charges }: LedgerRows,
): Generator<Compilable> {
  const inserted: string[] = [];
  const corrected: string[] = [];
  for (const ending of endings) {
    const { requestId } = ending.request;
    const [was, is] = [before.get(requestId), charges.get(requestId)!];
    if (was === is) continue;
    if (was) corrected.push(requestId);
    inserted.push(jsonRow(usageRow(ending, is)));
  }
  // The row that the reaper had to guess is replaced by what the process knows.
  if (corrected.length > 0) yield database.db.deleteFrom('usage').where('request_id', 'in', corrected);
  if (inserted.length > 0) yield insertUsage.of(database, inserted);
  if (inflight.length > 0) yield deleteInflight.with(database, { ids: JSON.stringify(inflight) });
}

export function* beginRequests(database: Database, requests: readonly RequestFacts[], nodeId: string): Generator<Compilable> {
  if (requests.length === 0) return;
  const rows = requests.map((request) => jsonRow(inflightRow(request, nodeId)));
  yield insertInflight.of(database, rows);
}

export function* advanceRequests(database: Database, progress: readonly Progress[]): Generator<Compilable> {
  if (progress.length === 0) return;
  const rows = progress.map(({ requestId, price, promptTokens, completionTokens }) =>
    jsonRow([requestId, price.prompt, price.completion, promptTokens, completionTokens]),
  );
  yield advanceInflight.with(database, { rows: jsonText(rows) });
}

export function toRequest(row: Selectable<InflightTable>): RequestFacts {
  return {
    requestId: row.request_id,
    principal: { accountId: row.account_id, environment: row.environment, keyId: row.key_id },
    operation: row.operation as RequestFacts['operation'],
    model: row.model,
    price: { prompt: row.price_prompt, completion: row.price_completion },
    leaseId: row.lease_id ?? undefined,
    hold: row.hold,
    startedAt: Number(row.started_at),
  };
}

/** In the order of requestColumns. */
function requestRow({ requestId, principal, operation, model, hold }: RequestFacts): JsonRow {
  return [requestId, principal.accountId, principal.environment, principal.keyId, operation, model, hold];
}

/** In the order of inflightColumns. */
function inflightRow(request: RequestFacts, nodeId: string): JsonRow {
  const { leaseId, price, startedAt } = request;
  return [...requestRow(request), nodeId, leaseId ?? null, price.prompt, price.completion, 0, 0, startedAt];
}

/** In the order of usageColumns. */
function usageRow({ request, charge, outcome, estimated, provider, endedAt }: Ending, { amount, uncollected }: Charged): JsonRow {
  const { price, promptTokens, completionTokens } = charge;
  return [
    ...requestRow(request),
    provider ?? null,
    price.id ?? null,
    price.prompt,
    price.completion,
    promptTokens,
    completionTokens,
    amount,
    uncollected,
    outcome,
    estimated ? 1 : 0,
    endedAt,
  ];
}
