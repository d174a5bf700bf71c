import { type Compilable, type Selectable, sql } from 'kysely';
import type { Price } from '../../common/prices/credits.js';
import type { Parts } from '../../common/prices/charge-lines.js';
import { componentsFromText } from '../../common/prices/price-components.js';
import type { Database } from '../../database/database.js';
import { RowsInsert } from '../../database/insert-rows.js';
import { jsonColumn, type JsonColumns, jsonRow, type JsonRow, jsonRows, jsonText, jsonTexts, joinRows } from '../../database/json-rows.js';
import { PreparedQuery } from '../../database/prepared-query.js';
import type { InflightTable } from '../../database/schema.js';
import { recordColumns } from '../../observability/record-columns.js';
import { priceOfRow } from '../price-of-row.js';
import type { Ending, Progress, RequestFacts, WrittenEnding } from '../hold/request-facts.js';
import { beyondHold } from '../protocol/lease-protocol.js';
import type { Charged, LedgerRows } from '../protocol/ledger-rows.js';

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
  price_components: 'text',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  parts: 'text',
  amount: 'int',
  collected: 'int',
  uncollected: 'int',
  outcome: 'text',
  estimated: 'int',
  created_at: 'int',
  ...recordColumns,
} as const satisfies JsonColumns;

const inflightColumns = {
  ...requestColumns,
  node_id: 'text',
  lease_id: 'text',
  price_prompt: 'int',
  price_completion: 'int',
  price_components: 'text',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  prompts: 'text',
  started_at: 'int',
} as const satisfies JsonColumns;

const progressColumns = {
  request_id: 'text',
  price_prompt: 'int',
  price_completion: 'int',
  price_components: 'text',
  prompt_tokens: 'int',
  completion_tokens: 'int',
  prompts: 'text',
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
  endings: readonly WrittenEnding[],
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
    const asJournaled = is.amount === ending.charge.amount && is.uncollected === 0n;
    const row = (asJournaled && ending.row) || jsonRow(usageRow(ending, is));
    inserted.push(ending.record ? joinRows(row, ending.record) : row);
  }
  // The row that the reaper had to guess is replaced by what the process knows.
  if (corrected.length > 0) yield database.db.deleteFrom('usage').where('request_id', 'in', corrected);
  if (inserted.length > 0) yield insertUsage.of(database, inserted);
  if (inflight.length > 0) yield deleteInflight.with(database, { ids: JSON.stringify(inflight) });
}

/** The usage row of an ending that its lease pays for in full, as JSON. */
export function rowOf(ending: Ending): string {
  return jsonRow(usageRow(ending, { amount: ending.charge.amount, uncollected: 0n }));
}

/**
 * What a row of `rowOf` says of its ending.
 * @param excess nano-credits that the lease does not pay
 */
export function endingOf(request: RequestFacts, row: readonly unknown[], excess: string): Ending {
  const [provider, priceId, prompt, completion, components, promptTokens, completionTokens, parts, amount, , , ...end] = row.slice(
    Object.keys(requestColumns).length,
  );
  const [outcome, estimated, endedAt] = end as [Ending['outcome'], number, number];
  return {
    request,
    charge: {
      amount: BigInt(amount as string),
      excess: BigInt(excess),
      promptTokens: promptTokens as number,
      completionTokens: completionTokens as number,
      price: priceOf(prompt, completion, priceId, components),
      ...(parts ? { parts: JSON.parse(parts as string) as Parts } : {}),
    },
    outcome,
    estimated: estimated === 1,
    provider: (provider as string | null) ?? undefined,
    endedAt,
  };
}

export function priceOf(prompt: unknown, completion: unknown, id: unknown, text: unknown): Price {
  const components = text ? componentsFromText(text as string) : undefined;
  return {
    prompt: BigInt(prompt as string),
    completion: BigInt(completion as string),
    ...(components && { components }),
    ...(id ? { id: id as string } : {}),
  };
}

export function* beginRequests(database: Database, requests: readonly RequestFacts[], nodeId: string): Generator<Compilable> {
  if (requests.length === 0) return;
  const rows = requests.map((request) => jsonRow(inflightRow(request, nodeId)));
  yield insertInflight.of(database, rows);
}

export function* advanceRequests(database: Database, progress: readonly Progress[]): Generator<Compilable> {
  if (progress.length === 0) return;
  const rows = progress.map(({ requestId, price, promptTokens, completionTokens, prompts }) =>
    jsonRow([requestId, ...priceRow(price), promptTokens, completionTokens, prompts ? JSON.stringify(prompts) : null]),
  );
  yield advanceInflight.with(database, { rows: jsonText(rows) });
}

export function toRequest(row: Selectable<InflightTable>): RequestFacts {
  return {
    requestId: row.request_id,
    principal: { accountId: row.account_id, environment: row.environment, keyId: row.key_id },
    operation: row.operation as RequestFacts['operation'],
    model: row.model,
    price: priceOfRow(row),
    leaseId: row.lease_id ?? undefined,
    hold: row.hold,
    startedAt: Number(row.started_at),
  };
}

/** In the order of requestColumns. */
function requestRow({ requestId, principal, operation, model, hold }: RequestFacts): JsonRow {
  return [requestId, principal.accountId, principal.environment, principal.keyId, operation, model, hold];
}

/** The columns price_prompt, price_completion and price_components. */
function priceRow({ prompt, completion, components }: Price): JsonRow {
  return [prompt, completion, components?.text ?? null];
}

/** In the order of inflightColumns. */
function inflightRow(request: RequestFacts, nodeId: string): JsonRow {
  const { leaseId, price, startedAt } = request;
  return [...requestRow(request), nodeId, leaseId ?? null, ...priceRow(price), 0, 0, null, startedAt];
}

/** In the order of usageColumns, without those of a record. */
function usageRow({ request, charge, outcome, estimated, provider, endedAt }: Ending, charged: Omit<Charged, 'provisional'>): JsonRow {
  const { requestId, principal, operation, model, hold } = request;
  const { price, promptTokens, completionTokens, parts } = charge;
  // Nothing is spread: this is built for each request.
  return [
    requestId,
    principal.accountId,
    principal.environment,
    principal.keyId,
    operation,
    model,
    hold,
    provider ?? null,
    price.id ?? null,
    price.prompt,
    price.completion,
    price.components?.text ?? null,
    promptTokens,
    completionTokens,
    parts ? JSON.stringify(parts) : null,
    charged.amount,
    beyondHold(charged, hold),
    charged.uncollected,
    outcome,
    estimated ? 1 : 0,
    endedAt,
  ];
}
