import { Injectable } from '@nestjs/common';
import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Environment } from '../auth/principal.js';
import { Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';

export const usageDimensions = ['day', 'account', 'project', 'key', 'first_key', 'model', 'provider', 'environment', 'outcome'] as const;

const METADATA = 'metadata.';

/** NUL or half a surrogate pair in JSON, which PostgreSQL refuses to read: earlier versions took it into metadata. */
const UNREADABLE = String.raw`\\u(0000|d[89a-f])`;

export type NamedDimension = (typeof usageDimensions)[number];

/** `metadata.team` stands for what the key has under `team` in its metadata. */
export type UsageDimension = NamedDimension | `${typeof METADATA}${string}`;

/** Which usage is summed up, and by what. Times are milliseconds since 1970. */
export interface UsageQuery {
  readonly by: readonly UsageDimension[];
  readonly accountId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly environment?: Environment | undefined;
  /** Not before. */
  readonly since?: number | undefined;
  /** Before. */
  readonly until?: number | undefined;
  /** At most so many sums. */
  readonly limit?: number | undefined;
}

export interface UsageSum {
  /** The value of each dimension that was asked for; days as 2026-11-21, in UTC. Empty where there is none. */
  readonly of: Partial<Record<UsageDimension, string>>;
  readonly requests: number;
  readonly promptTokens: bigint;
  readonly completionTokens: bigint;
  /** Nano-credits. */
  readonly amount: bigint;
  /** Nano-credits of these that were collected beyond the holds. */
  readonly collected: bigint;
  /** Nano-credits that were owed and could not be collected. */
  readonly uncollected: bigint;
}

const DAY = 86_400_000;

const columns: Record<NamedDimension, RawBuilder<unknown>> = {
  day: sql`usage.created_at / ${sql.lit(DAY)}`,
  account: sql`usage.account_id`,
  project: sql`coalesce(api_key.project_id, '')`,
  key: sql`usage.key_id`,
  first_key: sql`coalesce(api_key.first_id, usage.key_id)`,
  model: sql`usage.model`,
  provider: sql`coalesce(usage.provider, '')`,
  environment: sql`usage.environment`,
  outcome: sql`usage.outcome`,
};

/** Sums of what was used and charged, out of the usage rows. */
@Injectable()
export class UsageReport {
  constructor(private readonly database: Database) {}

  /** Sorted by the dimensions, in their order. */
  async sum(query: UsageQuery): Promise<UsageSum[]> {
    const rows = this.database.db.selectFrom('usage');
    const ofKeys = query.by.some((dimension) => dimension === 'project' || dimension === 'first_key' || isMetadata(dimension));
    const joined = ofKeys ? (rows.leftJoin('api_key', 'api_key.id', 'usage.key_id') as unknown as typeof rows) : rows;
    let usage = joined
      .select(({ fn }) => [
        fn.countAll<bigint>().as('requests'),
        fn.sum<bigint | null>('prompt_tokens').as('promptTokens'),
        fn.sum<bigint | null>('completion_tokens').as('completionTokens'),
        fn.sum<bigint | null>('amount').as('amount'),
        fn.coalesce(fn.sum<bigint | null>('collected'), sql<bigint>`0`).as('collected'),
        fn.sum<bigint | null>('uncollected').as('uncollected'),
      ])
      .where((usages) => usages.and(usageConditions(usages, query)));
    query.by.forEach((dimension, index) => {
      // Engines group and sort by the name of a column: a name in the metadata would be another parameter each time.
      const name = sql.id(`dimension_${index}`);
      usage = usage.select(this.#columnOf(dimension).as(name)).groupBy(name).orderBy(name);
    });
    if (query.limit !== undefined) usage = usage.limit(query.limit);
    const sums = (await usage.execute()) as (Record<string, unknown> & { requests: bigint })[];
    return sums
      .filter(({ requests }) => requests > 0n)
      .map((row) => ({
        of: Object.fromEntries(query.by.map((dimension, index) => [dimension, show(dimension, row[`dimension_${index}`])])),
        requests: Number(row.requests),
        promptTokens: row['promptTokens'] as bigint,
        completionTokens: row['completionTokens'] as bigint,
        amount: row['amount'] as bigint,
        collected: row['collected'] as bigint,
        uncollected: row['uncollected'] as bigint,
      }));
  }

  #columnOf(dimension: UsageDimension): RawBuilder<unknown> {
    if (!isMetadata(dimension)) return columns[dimension];
    const name = metadataName(dimension);
    const value =
      this.database.engine === 'sqlite'
        ? sql`(select value from json_each(api_key.metadata) where key = ${name})`
        : sql`case when api_key.metadata !~ ${UNREADABLE} then cast(api_key.metadata as json) ->> cast(${name} as text) end`;
    return sql`coalesce(${value}, '')`;
  }
}

function isMetadata(dimension: UsageDimension): dimension is `${typeof METADATA}${string}` {
  return dimension.startsWith(METADATA);
}

/** @returns the name in the metadata that a dimension stands for; undefined where it stands for something else */
export function metadataName(dimension: UsageDimension): string | undefined {
  return isMetadata(dimension) ? dimension.slice(METADATA.length) : undefined;
}

/** The conditions under which a usage row is one of the query. */
export function usageConditions(usage: ExpressionBuilder<Schema, 'usage'>, query: Omit<UsageQuery, 'by'>) {
  return [
    ...(query.accountId === undefined ? [] : [usage('usage.account_id', '=', query.accountId)]),
    ...(query.projectId === undefined ? [] : ofProject(usage, query.projectId)),
    ...(query.keyId === undefined ? [] : ofKey(usage, query.keyId)),
    ...(query.model === undefined ? [] : [usage('usage.model', '=', query.model)]),
    ...(query.environment === undefined ? [] : [usage('usage.environment', '=', query.environment)]),
    ...(query.since === undefined ? [] : [usage('usage.created_at', '>=', BigInt(query.since))]),
    ...(query.until === undefined ? [] : [usage('usage.created_at', '<', BigInt(query.until))]),
  ];
}

/** Names the key's account as well: there is an index on the account and none on the key. */
function ofKey(usage: ExpressionBuilder<Schema, 'usage'>, keyId: string) {
  const account = usage.selectFrom('api_key').select('api_key.account_id').where('api_key.id', '=', keyId);
  return [usage('usage.account_id', '=', account), usage('usage.key_id', '=', keyId)];
}

/** As `ofKey`. */
function ofProject(usage: ExpressionBuilder<Schema, 'usage'>, projectId: string) {
  const account = usage.selectFrom('project').select('project.account_id').where('project.id', '=', projectId);
  const keys = usage.selectFrom('api_key as of_project').select('of_project.id').where('of_project.project_id', '=', projectId);
  return [usage('usage.account_id', '=', account), usage('usage.key_id', 'in', keys)];
}

function show(dimension: UsageDimension, value: unknown): string {
  return dimension === 'day' ? new Date(Number(value) * DAY).toISOString().slice(0, 10) : String(value);
}
