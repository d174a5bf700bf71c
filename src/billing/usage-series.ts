import { Injectable } from '@nestjs/common';
import { type RawBuilder, sql } from 'kysely';
import type { Environment } from '../auth/principal.js';
import { linesOf, savedByCache } from '../common/prices/charge-lines.js';
import { firstRequestId } from '../common/requests/request-id.js';
import { Database } from '../database/database.js';
import { type PriceColumns, priceOfRow } from './price-of-row.js';

export const seriesIntervals = ['hour', 'day'] as const;
export type SeriesInterval = (typeof seriesIntervals)[number];

/** Milliseconds. */
export const intervalLength: Readonly<Record<SeriesInterval, number>> = { hour: 3_600_000, day: 86_400_000 };

export const seriesGroups = ['none', 'model', 'key', 'project', 'error'] as const;
export type SeriesGroup = (typeof seriesGroups)[number];

/** Times are milliseconds since 1970. */
interface SeriesQuery {
  readonly accountId: string;
  readonly interval: SeriesInterval;
  readonly by: SeriesGroup;
  /** Groups at most: those that cost most, and of errors the most frequent. */
  readonly groups: number;
  readonly from: number;
  /** Not this one. */
  readonly to: number;
  readonly environment?: Environment | undefined;
  readonly keyId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly model?: string | undefined;
}

/** What one group did in one interval. */
export interface SeriesPoint {
  /** When the interval begins, in milliseconds since 1970. */
  readonly time: number;
  /** Null where it stands for all groups that are not told apart. */
  readonly group: string | null;
  requests: number;
  errors: number;
  promptTokens: bigint;
  completionTokens: bigint;
  /** Nano-credits. */
  amount: bigint;
  /** Thousandths of a nano-credit. */
  saved: bigint;
  /** Milliseconds from the provider's call to its first token; undefined where nothing was streamed. */
  firstTokenMs: { readonly p50: number; readonly p95: number } | undefined;
}

type Table = 'usage' | 'request_record';

interface Sums {
  readonly time: bigint;
  readonly group: string | null;
  readonly requests: bigint;
  readonly errors: bigint;
  readonly prompt_tokens?: bigint | null;
  readonly completion_tokens?: bigint | null;
  readonly amount?: bigint | null;
  readonly p50?: number | null;
  readonly p95?: number | null;
}

interface CachedTokens extends PriceColumns {
  readonly time: bigint;
  readonly group: string | null;
  readonly part: string;
  readonly count: bigint;
}

/** Milliseconds by which the time in an id may differ from the one in the row. */
const DOUBT = 60_000;

const FAILED = sql<boolean>`(usage.error_code is not null or usage.outcome = 'provider_failed')`;

const columns: Record<Exclude<SeriesGroup, 'none'>, (table: Table) => RawBuilder<string>> = {
  model: (table) => sql`coalesce(${sql.ref(`${table}.model`)}, '')`,
  key: (table) => sql`coalesce(${sql.ref(`${table}.key_id`)}, '')`,
  project: () => sql`coalesce(api_key.project_id, '')`,
  error: (table) => sql`coalesce(${sql.ref(`${table}.error_code`)}, ${sql.ref(`${table}.outcome`)})`,
};

/** How the requests of an account went over time, out of usage rows and records of requests that were refused. */
@Injectable()
export class UsageSeries {
  constructor(private readonly database: Database) {}

  /** @returns the points at which there was anything, by time; those of one time in the order of what they cost */
  async read(query: SeriesQuery): Promise<SeriesPoint[]> {
    const top = query.by === 'none' ? [] : await this.#top(query, columns[query.by]);
    const groupOf = (table: Table): RawBuilder<string | null> => {
      if (query.by === 'none' || top.length === 0) return sql`cast(null as text)`;
      const column = columns[query.by](table);
      return sql`case when ${column} in (${sql.join(top)}) then ${column} end`;
    };
    const [charged, refused, cached] = await Promise.all([
      this.#charged(query, groupOf('usage')),
      this.#refused(query, groupOf('request_record')),
      this.#cached(query, groupOf('usage')),
    ]);
    const points = new Map<string, SeriesPoint>();
    const pointOf = (time: bigint, group: string | null): SeriesPoint => {
      const key = `${time} ${group === null ? '' : `=${group}`}`;
      let point = points.get(key);
      if (!point) points.set(key, (point = noneYet(Number(time) * intervalLength[query.interval], group)));
      return point;
    };
    for (const row of [...charged, ...refused]) add(pointOf(row.time, row.group), row);
    for (const row of cached) pointOf(row.time, row.group).saved += savedOf(row);
    const rank = new Map<string | null, number>(top.map((group, index) => [group, index]));
    const rankOf = ({ group }: SeriesPoint): number => rank.get(group) ?? top.length;
    return [...points.values()].sort((one, other) => one.time - other.time || rankOf(one) - rankOf(other));
  }

  /** The groups that cost most, then those with most requests. Errors are ranked by requests alone. */
  async #top(query: SeriesQuery, column: (table: Table) => RawBuilder<string>): Promise<string[]> {
    const read = (table: Table, amount: RawBuilder<bigint | null>) =>
      sql<{ group: string; requests: bigint; amount: bigint | null }>`
        select ${column(table)} as "group", count(*) as requests, ${amount} as amount
        from ${this.#rows(table, query)} group by 1 order by 3 desc, 2 desc, 1 limit ${sql.lit(query.groups)}`.execute(this.database.db);
    const nothing = sql<bigint>`cast(0 as bigint)`;
    const cost = query.by === 'error' ? nothing : sql<bigint | null>`sum(usage.amount)`;
    const [charged, refused] = await Promise.all([read('usage', cost), read('request_record', nothing)]);
    const all = new Map<string, { requests: bigint; amount: bigint }>();
    for (const { group, requests, amount } of [...charged.rows, ...refused.rows]) {
      const sum = all.get(group) ?? { requests: 0n, amount: 0n };
      all.set(group, { requests: sum.requests + requests, amount: sum.amount + (amount ?? 0n) });
    }
    const sorted = [...all].sort(([, one], [, other]) => Number(other.amount - one.amount || other.requests - one.requests));
    return sorted.slice(0, query.groups).map(([group]) => group);
  }

  async #charged(query: SeriesQuery, group: RawBuilder<string | null>): Promise<Sums[]> {
    const { rows } = await sql<Sums>`
      select "time", "group", count(*) as requests, sum(failed) as errors, sum(prompt_tokens) as prompt_tokens,
        sum(completion_tokens) as completion_tokens, sum(amount) as amount, ${this.#percentiles()}
      from (
        select usage.created_at / ${sql.lit(intervalLength[query.interval])} as "time", ${group} as "group",
          usage.prompt_tokens, usage.completion_tokens, usage.amount,
          case when ${FAILED} then 1 else 0 end as failed,
          case when usage.streamed = 1 then ${this.#firstTokenMs()} end as first_token_ms
        from ${this.#rows('usage', query)}
      ) as request group by 1, 2`.execute(this.database.db);
    return rows;
  }

  async #refused(query: SeriesQuery, group: RawBuilder<string | null>): Promise<Sums[]> {
    const { rows } = await sql<Sums>`
      select request_record.created_at / ${sql.lit(intervalLength[query.interval])} as "time", ${group} as "group",
        count(*) as requests, count(request_record.error_code) as errors
      from ${this.#rows('request_record', query)} group by 1, 2`.execute(this.database.db);
    return rows;
  }

  /** What was read from caches, by the price that it was charged at. */
  async #cached(query: SeriesQuery, group: RawBuilder<string | null>): Promise<CachedTokens[]> {
    const each = this.database.engine === 'sqlite' ? sql`json_each(usage.parts)` : sql`json_each_text(cast(usage.parts as json))`;
    const { rows } = await sql<CachedTokens>`
      select usage.created_at / ${sql.lit(intervalLength[query.interval])} as "time", ${group} as "group",
        price_prompt, price_completion, price_components, part.key as part, sum(cast(part.value as bigint)) as count
      from ${this.#rows('usage', query, sql`cross join ${each} as part`)}
        and usage.parts is not null and part.key like 'cached%' and usage.amount + usage.uncollected > 0
      group by 1, 2, 3, 4, 5, 6`.execute(this.database.db);
    return rows;
  }

  /** The table and its conditions. */
  #rows(table: Table, query: SeriesQuery, joined: RawBuilder<unknown> = sql``): RawBuilder<unknown> {
    const column = (name: string) => sql.ref(`${table}.${name}`);
    const { accountId, environment, keyId, projectId, model, by, from, to } = query;
    const join = by === 'project' ? sql`left join api_key on api_key.id = ${column('key_id')}` : sql``;
    const conditions = [
      sql`${column('account_id')} = ${accountId}`,
      // Both are named where it may be either, so that the index serves the time too.
      environment ? sql`${column('environment')} = ${environment}` : sql`${column('environment')} in ('live', 'test')`,
      sql`${column('created_at')} >= ${from} and ${column('created_at')} < ${to}`,
    ];
    if (keyId !== undefined) conditions.push(sql`${column('key_id')} = ${keyId}`);
    if (model !== undefined) conditions.push(sql`${column('model')} = ${model}`);
    if (projectId !== undefined)
      conditions.push(
        sql`${column('key_id')} in (select of_project.id from api_key as of_project where of_project.project_id = ${projectId})`,
      );
    if (by === 'error') conditions.push(table === 'usage' ? FAILED : sql`request_record.error_code is not null`);
    if (table === 'request_record') {
      // No index has the account: ids have the time. What was charged is counted where it was charged.
      conditions.push(
        sql`${column('request_id')} >= ${firstRequestId(from - DOUBT)} and ${column('request_id')} < ${firstRequestId(to + DOUBT)}`,
      );
      conditions.push(sql`${column('operation')} <> 'models'`);
      conditions.push(sql`not exists (select 1 from usage as charged where charged.request_id = ${column('request_id')})`);
    }
    return sql`${sql.table(table)} ${join} ${joined} where ${sql.join(conditions, sql` and `)}`;
  }

  /** Of the first attempt that had one; it costs a third of reading the JSON (measured). See attempts-text.ts. */
  #firstTokenMs(): RawBuilder<number | null> {
    if (this.database.engine === 'sqlite')
      return sql`case when instr(usage.attempts, '"firstTokenMs":') > 0
        then cast(substr(usage.attempts, instr(usage.attempts, '"firstTokenMs":') + 15, 20) as real) end`;
    return sql`cast(nullif(rtrim(split_part(split_part(usage.attempts, '"firstTokenMs":', 2), ',', 1), ']}'), '') as double precision)`;
  }

  #percentiles(): RawBuilder<unknown> {
    const of = (share: number): RawBuilder<number | null> =>
      this.database.engine === 'sqlite'
        ? sql`percentile_cont(first_token_ms, ${sql.lit(share)})`
        : sql`percentile_cont(${sql.lit(share)}) within group (order by first_token_ms)`;
    return sql`${of(0.5)} as p50, ${of(0.95)} as p95`;
  }
}

function noneYet(time: number, group: string | null): SeriesPoint {
  return { time, group, requests: 0, errors: 0, promptTokens: 0n, completionTokens: 0n, amount: 0n, saved: 0n, firstTokenMs: undefined };
}

function add(point: SeriesPoint, { requests, errors, prompt_tokens, completion_tokens, amount, p50, p95 }: Sums): void {
  point.requests += Number(requests);
  point.errors += Number(errors);
  point.promptTokens += prompt_tokens ?? 0n;
  point.completionTokens += completion_tokens ?? 0n;
  point.amount += amount ?? 0n;
  if (typeof p50 === 'number' && typeof p95 === 'number') point.firstTokenMs = { p50: Math.round(p50), p95: Math.round(p95) };
}

function savedOf({ part, count, ...price }: CachedTokens): bigint {
  const rates = priceOfRow(price);
  return savedByCache(rates, linesOf(rates, 0n, 0n, { [part]: Number(count) }));
}
