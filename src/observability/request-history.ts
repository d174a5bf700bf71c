import { Injectable } from '@nestjs/common';
import { type Selectable, sql } from 'kysely';
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
import type { AttemptRecord } from '../common/requests/generation-record.js';
import { requestTime } from '../common/requests/request-id.js';
import { Database } from '../database/database.js';
import type { RequestRecordTable, UsageTable } from '../database/schema.js';
import { lastSwept } from './record-sweep.js';
import { requestConditions, type RequestFilter } from './request-conditions.js';

/** Requests of an account from which on it takes longer to sort them than to look through those of all accounts. */
const MANY = 1_000;

export interface HistoryQuery extends RequestFilter {
  readonly limit: number;
}

/** Null where the gateway has not written them: it was killed, or its client is still taking the answer. */
type Answered = Nullable<Pick<Selectable<RequestRecordTable>, 'duration_ms' | 'streamed' | 'status'>>;

/** What the store knows of one request. Times are milliseconds, amounts are nano-credits. */
export interface RequestHistory extends Omit<Selectable<RequestRecordTable>, keyof Answered | 'attempts' | 'dropped_parameters'>, Answered {
  /** Empty too where they were not written: `status` is null then. */
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
  /** The row of the price that was charged by, where it is that of one offer. */
  readonly priceId: string | undefined;
  /** All lines of the charge; none where nothing has been settled (yet). */
  readonly allLines: readonly ChargeLine[];
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
    const [own] = await this.#newest({ requestId: id, accountId, limit: 1 });
    const [row] = own ? [own] : await this.#newest({ clientRequestId: id, accountId, limit: 1 });
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
  async list(query: HistoryQuery): Promise<RequestHistory[]> {
    return (await this.#newest(query)).map(historyOf);
  }

  /** Counts records, but no more than `limit` in each of the two tables. */
  async count({ limit, ...filter }: HistoryQuery): Promise<number> {
    const { db, engine } = this.database;
    const charged = db
      .selectFrom('usage')
      .select('request_id')
      .where('request_id', '>', await lastSwept(this.database))
      .where(isRecord)
      .where(requestConditions(engine, 'usage', filter))
      .limit(limit);
    const others = db
      .selectFrom('request_record')
      .select('request_id')
      .where(requestConditions(engine, 'request_record', filter))
      .limit(limit);
    const [first, second] = await Promise.all(
      [charged, others].map((rows) =>
        db
          .selectFrom(rows.as('one'))
          .select(({ fn }) => fn.countAll<bigint>().as('count'))
          .executeTakeFirstOrThrow(),
      ),
    );
    return Number(first!.count + second!.count);
  }

  /**
   * The records in usage rows and those in rows of their own, together. Usage is kept for ever: old rows are not read.
   */
  async #newest({ limit, ...filter }: HistoryQuery): Promise<Row[]> {
    const { db, engine } = this.database;
    const inOrder = await this.#inOrder(filter);
    const charged = db
      .selectFrom('usage')
      .select([...ofRequest, ...ofCharge, 'began_at as created_at'])
      .select(['prompt_tokens as counted_prompt', 'completion_tokens as counted_completion'])
      .where('request_id', '>', await lastSwept(this.database))
      .where(isRecord)
      .where(requestConditions(engine, 'usage', filter, inOrder))
      .orderBy('request_id', 'desc')
      .limit(limit)
      .$castTo<Row>();
    const others = db
      .selectFrom('request_record')
      .leftJoin('usage', 'usage.request_id', 'request_record.request_id')
      .selectAll('request_record')
      .select(ofCharge.map((column) => `usage.${column}` as const))
      .select(['usage.prompt_tokens as counted_prompt', 'usage.completion_tokens as counted_completion'])
      .where(requestConditions(engine, 'request_record', filter))
      .orderBy('request_record.request_id', 'desc')
      .limit(limit)
      .$castTo<Row>();
    const rows = [...(await charged.execute()), ...(await others.execute())];
    return rows.sort((one, other) => (one.request_id < other.request_id ? 1 : -1)).slice(0, limit);
  }

  /**
   * Whether rows are read in the order of their ids, as PostgreSQL decides by its statistics: SQLite would read all rows
   * of the account, and sort them.
   */
  async #inOrder({ accountId, requestId, clientRequestId, endedSince }: RequestFilter): Promise<boolean> {
    const { db, engine } = this.database;
    if (engine !== 'sqlite' || accountId === undefined || (requestId ?? clientRequestId ?? endedSince) !== undefined) return false;
    const some = db.selectFrom('usage').select('account_id').where('account_id', '=', accountId).limit(MANY);
    const { count } = await db
      .selectFrom(some.as('some'))
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow();
    return count === BigInt(MANY);
  }
}

/**
 * Where the gateway has not written the record, which a killed one never does, the usage row is all that is known. A
 * scalar subquery: PostgreSQL may answer `not exists` by reading all of the other table.
 */
const isRecord = sql<boolean>`(usage.attempts is not null
  or (select alone.request_id from request_record as alone where alone.request_id = usage.request_id) is null)`;

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
  'error_message',
  'attempts',
  'prompt_tokens',
  'completion_tokens',
  'price_prompt',
  'price_completion',
  'dropped_parameters',
] as const satisfies (keyof RequestRecordTable & keyof UsageTable)[];

const ofCharge = ['amount', 'collected', 'uncollected', 'provider', 'estimated', 'parts', 'price_id', 'price_components'] as const;

type Nullable<T> = { [Name in keyof T]: T[Name] | null };
type Unwritten = keyof Answered | 'created_at' | 'attempts' | 'dropped_parameters';
type Row = Omit<Selectable<RequestRecordTable>, Unwritten> &
  Nullable<Pick<Selectable<RequestRecordTable>, Unwritten> & Pick<Selectable<UsageTable>, (typeof ofCharge)[number]>> & {
    counted_prompt: bigint | null;
    counted_completion: bigint | null;
  };

function historyOf(found: Row): RequestHistory {
  const { amount, collected, uncollected, provider, estimated, parts, price_id, price_components, ...rest } = found;
  const { counted_prompt, counted_completion, created_at, attempts, dropped_parameters, ...row } = rest;

  const components = price_components === null ? undefined : componentsFromText(price_components);
  const price: Rates = { prompt: row.price_prompt ?? 0n, completion: row.price_completion ?? 0n, ...(components && { components }) };
  const counts = parts === null ? undefined : (JSON.parse(parts) as Parts);
  const allLines = amount === null ? [] : linesOf(price, counted_prompt ?? 0n, counted_completion ?? 0n, counts);
  const lines = counts && allLines;
  return {
    ...row,
    created_at: created_at ?? BigInt(requestTime(row.request_id)),
    attempts: JSON.parse(attempts ?? '[]') as AttemptRecord[],
    dropped_parameters: JSON.parse(dropped_parameters ?? '[]') as string[],
    charged: amount ?? undefined,
    collected: collected ?? 0n,
    uncollected: uncollected ?? 0n,
    provider: provider ?? undefined,
    estimated: estimated === 1n,
    priceId: price_id ?? undefined,
    allLines,
    lines,
    adjustments: lines ? adjustmentsOf(lines, (amount ?? 0n) + (uncollected ?? 0n), uncollected ?? 0n) : [],
    saved: lines ? savedByCache(price, lines) : 0n,
    cacheWrites: lines ? spentOnCacheWrites(price, lines) : 0n,
  };
}
