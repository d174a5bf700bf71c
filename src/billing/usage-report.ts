import { Injectable } from '@nestjs/common';
import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely';
import type { Environment } from '../auth/principal.js';
import { Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';

export const usageDimensions = ['day', 'account', 'key', 'model', 'provider', 'environment', 'outcome'] as const;

export type UsageDimension = (typeof usageDimensions)[number];

/** Which usage is summed up, and by what. Times are milliseconds since 1970. */
export interface UsageQuery {
  readonly by: readonly UsageDimension[];
  readonly accountId?: string | undefined;
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
  /** The value of each dimension that was asked for; days as 2026-11-21, in UTC. */
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

const columns: Record<UsageDimension, RawBuilder<unknown>> = {
  day: sql`usage.created_at / ${sql.lit(DAY)}`,
  account: sql`usage.account_id`,
  key: sql`usage.key_id`,
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
    let usage = this.database.db
      .selectFrom('usage')
      .select(({ fn }) => [
        fn.countAll<bigint>().as('requests'),
        fn.sum<bigint | null>('prompt_tokens').as('promptTokens'),
        fn.sum<bigint | null>('completion_tokens').as('completionTokens'),
        fn.sum<bigint | null>('amount').as('amount'),
        fn.coalesce(fn.sum<bigint | null>('collected'), sql<bigint>`0`).as('collected'),
        fn.sum<bigint | null>('uncollected').as('uncollected'),
      ])
      .where((usages) => usages.and(usageConditions(usages, query)));
    for (const dimension of query.by) {
      const column = columns[dimension];
      usage = usage.select(column.as(dimension)).groupBy(column).orderBy(column);
    }
    if (query.limit !== undefined) usage = usage.limit(query.limit);
    const rows = (await usage.execute()) as (Record<string, unknown> & { requests: bigint })[];
    return rows
      .filter(({ requests }) => requests > 0n)
      .map((row) => ({
        of: Object.fromEntries(query.by.map((dimension) => [dimension, show(dimension, row[dimension])])),
        requests: Number(row.requests),
        promptTokens: row['promptTokens'] as bigint,
        completionTokens: row['completionTokens'] as bigint,
        amount: row['amount'] as bigint,
        collected: row['collected'] as bigint,
        uncollected: row['uncollected'] as bigint,
      }));
  }
}

/** The conditions under which a usage row is one of the query. */
export function usageConditions(usage: ExpressionBuilder<Schema, 'usage'>, query: Omit<UsageQuery, 'by'>) {
  return [
    ...(query.accountId === undefined ? [] : [usage('account_id', '=', query.accountId)]),
    ...(query.keyId === undefined ? [] : ofKey(usage, query.keyId)),
    ...(query.model === undefined ? [] : [usage('model', '=', query.model)]),
    ...(query.environment === undefined ? [] : [usage('environment', '=', query.environment)]),
    ...(query.since === undefined ? [] : [usage('created_at', '>=', BigInt(query.since))]),
    ...(query.until === undefined ? [] : [usage('created_at', '<', BigInt(query.until))]),
  ];
}

/** Names the key's account as well: there is an index on the account and none on the key. */
function ofKey(usage: ExpressionBuilder<Schema, 'usage'>, keyId: string) {
  const account = usage.selectFrom('api_key').select('api_key.account_id').where('api_key.id', '=', keyId);
  return [usage('account_id', '=', account), usage('key_id', '=', keyId)];
}

function show(dimension: UsageDimension, value: unknown): string {
  return dimension === 'day' ? new Date(Number(value) * DAY).toISOString().slice(0, 10) : String(value);
}
