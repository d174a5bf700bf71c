import { Injectable } from '@nestjs/common';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import {
  type Adjustment,
  adjustmentsOf,
  type ChargeLine,
  linesOf,
  type Parts,
  savedByCache,
  spentOnCacheWrites,
} from '../common/prices/charge-lines.js';
import { componentsFromText, type Rates } from '../common/prices/price-components.js';
import type { AttemptRecord } from '../common/generation-record.js';
import { Database } from '../database/database.js';
import type { RequestRecordTable, UsageTable } from '../database/schema.js';
import { lastSwept } from './record-sweep.js';

export interface HistoryQuery {
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  /** Only requests that ended in an error. */
  readonly failed?: boolean | undefined;
  /** Only those before the one of this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** What the store knows of one request. Times are milliseconds, amounts are nano-credits. */
export interface RequestHistory extends Omit<Selectable<RequestRecordTable>, 'attempts' | 'dropped_parameters'> {
  readonly attempts: readonly AttemptRecord[];
  readonly dropped_parameters: readonly string[];
  /** The amount in the usage row; undefined where nothing has been settled (yet). */
  readonly charged: bigint | undefined;
  /** Nano-credits of these that were collected beyond the hold. */
  readonly collected: bigint;
  /** Nano-credits that were owed beside them and could not be collected. */
  readonly uncollected: bigint;
  readonly provider: string | undefined;
  readonly estimated: boolean;
  /** The lines of the charge; undefined where prompt and completion alone explain it. */
  readonly lines: readonly ChargeLine[] | undefined;
  /** What makes the lines come to what was charged. */
  readonly adjustments: readonly Adjustment[];
  /** What was saved by reading from a cache, in thousandths of a nano-credit. */
  readonly saved: bigint;
  /** What writing to a cache has cost more than reading the prompt without one, in thousandths of a nano-credit. */
  readonly cacheWrites: bigint;
}

export interface KeyOfRequest {
  readonly label: string;
  readonly projectId: string | null;
  readonly project: string | null;
}

/** Reads the records of requests together with what the requests cost. */
@Injectable()
export class RequestHistories {
  constructor(private readonly database: Database) {}

  /**
   * Finds a request by the gateway's id, or else the newest with this id of the client's own.
   * @param accountId absent: whosever it is
   */
  async find(id: string, accountId?: string): Promise<RequestHistory | undefined> {
    const [own] = await this.#newest(1, { request_id: id, account_id: accountId });
    const [row] = own ? [own] : await this.#newest(1, { client_request_id: id, account_id: accountId });
    return row && historyOf(row);
  }

  /** What was said of a key when it was made, for the request that it has sent. */
  async keyOf({ key_id }: Pick<RequestHistory, 'key_id'>): Promise<KeyOfRequest | undefined> {
    if (key_id === null) return undefined;
    return this.database.db
      .selectFrom('api_key')
      .leftJoin('project', 'project.id', 'api_key.project_id')
      .select(['api_key.label', 'project.id as projectId', 'project.name as project'])
      .where('api_key.id', '=', key_id)
      .executeTakeFirst();
  }

  /** Reads the text of a request and its answer, where it was kept. */
  async text(requestId: string): Promise<{ request: string; answer: string | null } | undefined> {
    return this.database.db.selectFrom('request_text').select(['request', 'answer']).where('request_id', '=', requestId).executeTakeFirst();
  }

  /** Lists records, newest first. */
  async list({ accountId, keyId, model, failed, before, limit }: HistoryQuery): Promise<RequestHistory[]> {
    const rows = await this.#newest(limit, { account_id: accountId, key_id: keyId, model }, failed, before);
    return rows.map(historyOf);
  }

  /**
   * The records in usage rows and those in rows of their own, together. Usage is kept for ever: old rows are not read.
   */
  async #newest(limit: number, which: Which, failed = false, before?: string): Promise<Row[]> {
    const { db } = this.database;
    const charged = db
      .selectFrom('usage')
      .select([...ofRequest, ...ofCharge, 'began_at as created_at'])
      .select(['prompt_tokens as counted_prompt', 'completion_tokens as counted_completion'])
      .where('request_id', '>', await lastSwept(this.database))
      .where('attempts', 'is not', null)
      .where(conditions('usage', which, failed, before))
      .orderBy('request_id', 'desc')
      .limit(limit)
      .$castTo<Row>();
    const others = db
      .selectFrom('request_record')
      .leftJoin('usage', 'usage.request_id', 'request_record.request_id')
      .selectAll('request_record')
      .select(ofCharge.map((column) => `usage.${column}` as const))
      .select(['usage.prompt_tokens as counted_prompt', 'usage.completion_tokens as counted_completion'])
      .where(conditions('request_record', which, failed, before))
      .orderBy('request_record.request_id', 'desc')
      .limit(limit)
      .$castTo<Row>();
    const rows = [...(await charged.execute()), ...(await others.execute())];
    return rows.sort((one, other) => (one.request_id < other.request_id ? 1 : -1)).slice(0, limit);
  }
}

/** Values that columns must have. */
type Which = { readonly [Column in 'request_id' | 'client_request_id' | 'account_id' | 'key_id' | 'model']?: string | undefined };

function conditions(table: 'usage' | 'request_record', which: Which, failed: boolean, before: string | undefined): RawBuilder<boolean> {
  const all = Object.entries(which).flatMap(([column, value]) =>
    value === undefined ? [] : sql<boolean>`${sql.ref(`${table}.${column}`)} = ${value}`,
  );
  if (failed) all.push(sql`${sql.ref(`${table}.error_code`)} is not null`);
  if (before !== undefined) all.push(sql`${sql.ref(`${table}.request_id`)} < ${before}`);
  return all.length > 0 ? sql`${sql.join(all, sql` and `)}` : sql`true`;
}

/** What usage rows and rows of their own say of a request under the same name. */
const ofRequest = [
  'request_id',
  'duration_ms',
  'client_request_id',
  'key_id',
  'account_id',
  'environment',
  'operation',
  'model',
  'streamed',
  'status',
  'outcome',
  'error_code',
  'attempts',
  'prompt_tokens',
  'completion_tokens',
  'price_prompt',
  'price_completion',
  'dropped_parameters',
] as const satisfies (keyof RequestRecordTable & keyof UsageTable)[];

const ofCharge = ['amount', 'collected', 'uncollected', 'provider', 'estimated', 'parts', 'price_components'] as const;

type Charged = Pick<Selectable<UsageTable>, (typeof ofCharge)[number]>;
type Row = Selectable<RequestRecordTable> & { [Column in keyof Charged]: Charged[Column] | null } & {
  counted_prompt: bigint | null;
  counted_completion: bigint | null;
};

function historyOf(found: Row): RequestHistory {
  const { amount, collected, uncollected, provider, estimated, parts, price_components, ...rest } = found;
  const { counted_prompt, counted_completion, attempts, dropped_parameters, ...row } = rest;

  const components = price_components === null ? undefined : componentsFromText(price_components);
  const price: Rates = { prompt: row.price_prompt ?? 0n, completion: row.price_completion ?? 0n, ...(components && { components }) };
  const lines = parts === null ? undefined : linesOf(price, counted_prompt ?? 0n, counted_completion ?? 0n, JSON.parse(parts) as Parts);
  return {
    ...row,
    attempts: JSON.parse(attempts) as AttemptRecord[],
    dropped_parameters: JSON.parse(dropped_parameters) as string[],
    charged: amount ?? undefined,
    collected: collected ?? 0n,
    uncollected: uncollected ?? 0n,
    provider: provider ?? undefined,
    estimated: estimated === 1n,
    lines,
    adjustments: lines ? adjustmentsOf(lines, (amount ?? 0n) + (uncollected ?? 0n), uncollected ?? 0n) : [],
    saved: lines ? savedByCache(price, lines) : 0n,
    cacheWrites: lines ? spentOnCacheWrites(price, lines) : 0n,
  };
}
