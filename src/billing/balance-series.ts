import { Injectable } from '@nestjs/common';
import { type RawBuilder, sql } from 'kysely';
import type { Environment } from '../auth/principal.js';
import { Database } from '../database/database.js';
import { balanceAt } from './balance-at.js';
import { intervalLength, type SeriesInterval } from './usage-series.js';

/** Times are milliseconds since 1970. */
export interface BalanceSeriesQuery {
  readonly accountId: string;
  readonly environment: Environment;
  readonly interval: SeriesInterval;
  /** The beginning of an interval. */
  readonly from: number;
  /** Not this one. */
  readonly to: number;
}

/** What changed a balance in one interval. Amounts are nano-credits. */
export interface BalancePoint {
  /** When the interval begins, in milliseconds since 1970. */
  readonly time: number;
  granted: bigint;
  charged: bigint;
  /** At its end. */
  balance: bigint;
}

export interface BalanceOverTime {
  /** At the beginning of the first interval. */
  readonly opening: bigint;
  /** Oldest first. */
  readonly points: readonly BalancePoint[];
}

interface Sum {
  readonly time: bigint;
  readonly amount: bigint;
}

/** What an account had over time, out of transfers and usage rows: a charge counts at the end of its request. */
@Injectable()
export class BalanceSeries {
  constructor(private readonly database: Database) {}

  /** @returns the intervals in which there were grants or charges */
  async read({ accountId, environment, interval, from, to }: BalanceSeriesQuery): Promise<BalanceOverTime> {
    const { db } = this.database;
    const length = sql.lit(intervalLength[interval]);
    const sums = async (amount: RawBuilder<bigint>, rows: RawBuilder<unknown>): Promise<readonly Sum[]> => {
      const { rows: found } = await sql<Sum>`
        select created_at / ${length} as "time", sum(${amount}) as amount from ${rows}
          and environment = ${environment} and created_at >= ${from} and created_at < ${to}
        group by 1`.execute(db);
      return found;
    };
    const [
      {
        rows: [before],
      },
      given,
      taken,
      charges,
    ] = await Promise.all([
      sql<{ opening: bigint }>`select ${balanceAt(accountId, environment, from)} as opening`.execute(db),
      sums(sql`amount`, sql`transfer where credit_account_id = ${accountId}`),
      sums(sql`-amount`, sql`transfer where debit_account_id = ${accountId}`),
      sums(sql`amount`, sql`usage where account_id = ${accountId}`),
    ]);
    const points = new Map<bigint, BalancePoint>();
    const at = (time: bigint): BalancePoint => {
      let point = points.get(time);
      if (!point) points.set(time, (point = { time: Number(time) * intervalLength[interval], granted: 0n, charged: 0n, balance: 0n }));
      return point;
    };
    for (const { time, amount } of [...given, ...taken]) at(time).granted += amount;
    for (const { time, amount } of charges) at(time).charged += amount;
    const sorted = [...points.values()].sort((one, other) => one.time - other.time);
    let balance = before!.opening;
    for (const point of sorted) point.balance = balance += point.granted - point.charged;
    return { opening: before!.opening, points: sorted };
  }
}
