import { Injectable } from '@nestjs/common';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { Database } from '../database/database.js';
import type { Schema } from '../database/schema.js';

/** The columns of `performance` that are sums. */
export const performanceSums = ['served', 'failed', 'total_ms', 'tokens', 'streams', 'first_token_ms'] as const;

/** Milliseconds of one bucket of `performance`. */
export const BUCKET_MS = 30_000;

export const QUARTER_MS = 900_000;
const BUCKETS = QUARTER_MS / BUCKET_MS;
/** Quarters of an hour that are kept: two days. */
const KEPT = 192;
/** Buckets by which clocks of gateways may differ, so that none writes one again that has become history. */
const DOUBT = 4;

/** What one offer did in an interval: attempts, and sums over those that were served. */
export interface PastTotals {
  readonly provider: string;
  readonly model: string;
  /** When the interval begins, in milliseconds since 1970. */
  readonly time: number;
  readonly served: number;
  readonly failed: number;
  readonly totalMs: number;
  readonly tokens: number;
  /** How many of the served attempts were streamed, and the sum of their first-token times. */
  readonly streams: number;
  readonly firstTokenMs: number;
}

/** What offers did in the last two days, by the quarter of an hour. */
@Injectable()
export class PerformanceHistory {
  constructor(private readonly database: Database) {}

  /** Puts buckets together that no longer count, and deletes what is too old. @param before the last of these buckets */
  async keep(before: number): Promise<void> {
    const last = before - DOUBT;
    const past = (where: RawBuilder<unknown>) => sql`
      insert into performance_history (quarter, provider, model, ${columns(performanceSums)})
      select bucket / ${sql.lit(BUCKETS)}, provider, model, ${sumsOf(performanceSums)} from ${where} group by 1, 2, 3
      on conflict (quarter, provider, model) do update set
      ${sql.join(performanceSums.map((name) => sql`${sql.ref(name)} = performance_history.${sql.ref(name)} + excluded.${sql.ref(name)}`))}`;
    const { engine } = this.database;
    // Of gateways that do so at the same time, each takes the rows that it has deleted.
    const work = async (trx: Transaction<Schema>): Promise<void> => {
      if (engine === 'postgres')
        await sql`with over as (delete from performance where bucket <= ${last} returning *) ${past(sql`over`)}`.execute(trx);
      else {
        await past(sql`performance where bucket <= ${last}`).execute(trx);
        await sql`delete from performance where bucket <= ${last}`.execute(trx);
      }
      await trx
        .deleteFrom('performance_history')
        .where('quarter', '<=', BigInt(Math.floor(before / BUCKETS) - KEPT))
        .execute();
    };
    await this.database.transaction(work);
  }

  /**
   * What offers of some models did, also in the time that is not history yet.
   * @param interval in milliseconds, whole quarters of an hour
   * @param since milliseconds since 1970
   * @returns by time
   */
  async read(models: readonly string[], interval: number, since: number): Promise<PastTotals[]> {
    if (models.length === 0) return [];
    const of = (table: 'performance' | 'performance_history', time: RawBuilder<bigint>, from: RawBuilder<boolean>) => sql`
      select ${time} as "time", provider, model, ${columns(performanceSums)} from ${sql.table(table)}
      where ${from} and model in (${sql.join(models)})`;
    const { rows } = await sql<Record<(typeof performanceSums)[number] | 'time', bigint> & { provider: string; model: string }>`
      select "time" / ${sql.lit(interval)} as "time", provider, model, ${sumsOf(performanceSums)} from (
        ${of('performance', sql`bucket * ${sql.lit(BUCKET_MS)}`, sql`bucket >= ${Math.floor(since / BUCKET_MS)}`)} union all
        ${of('performance_history', sql`quarter * ${sql.lit(QUARTER_MS)}`, sql`quarter >= ${Math.floor(since / QUARTER_MS)}`)}
      ) as past group by 1, 2, 3 order by 1`.execute(this.database.db);
    return rows.map(({ time, provider, model, served, failed, total_ms, tokens, streams, first_token_ms }) => ({
      time: Number(time) * interval,
      provider,
      model,
      served: Number(served),
      failed: Number(failed),
      totalMs: Number(total_ms),
      tokens: Number(tokens),
      streams: Number(streams),
      firstTokenMs: Number(first_token_ms),
    }));
  }
}

function columns(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(name)));
}

function sumsOf(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));
}
