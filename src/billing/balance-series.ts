import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { Environment } from '../auth/principal.js';
import { Database } from '../database/database.js';
import { intervalLength, type SeriesInterval } from './usage-series.js';

/** Times are milliseconds since 1970. */
interface BalanceSeriesQuery {
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
  readonly granted: bigint;
  readonly charged: bigint;
  /** At its end. */
  readonly balance: bigint;
}

export interface BalanceOverTime {
  /** At the beginning of the first interval. */
  readonly opening: bigint;
  /** Oldest first. */
  readonly points: readonly BalancePoint[];
}

/** Amounts are nano-credits. */
interface Moves {
  /** The number of the interval since 1970; null: it is none of those that are shown. */
  readonly time: bigint | null;
  readonly granted: bigint;
  readonly charged: bigint;
}

/** What an account had over time, out of transfers and usage rows: a charge counts at the end of its request. */
@Injectable()
export class BalanceSeries {
  constructor(private readonly database: Database) {}

  /** @returns the intervals in which there were grants or charges */
  async read(query: BalanceSeriesQuery): Promise<BalanceOverTime> {
    const moves = await this.#moves(query);
    const opening = moves.reduce((sum, { granted, charged }) => sum - granted + charged, 0n);
    const shown = moves.flatMap(({ time, ...sums }) =>
      time === null ? [] : [{ time: Number(time) * intervalLength[query.interval], ...sums }],
    );
    shown.sort((one, other) => one.time - other.time);
    let balance = opening;
    const points = shown.map((sums) => ({ ...sums, balance: (balance += sums.granted - sums.charged) }));
    return { opening, points: points.filter(({ granted, charged }) => granted !== 0n || charged !== 0n) };
  }

  /**
   * The first row is the balance of now with its sign turned, the others are what has changed it since `from`: their
   * sum is the opening balance with its sign turned. So what is older is not read, and one statement sees one state of
   * the store.
   */
  async #moves({ accountId, environment, interval, from, to }: BalanceSeriesQuery): Promise<readonly Moves[]> {
    const since = sql`environment = ${environment} and created_at >= ${from}`;
    const { rows } = await sql<Moves>`
      select cast(null as bigint) as "time", -posted as granted, cast(0 as bigint) as charged from balance
        where account_id = ${accountId} and environment = ${environment}
      union all
      select case when created_at < ${to} then created_at / ${sql.lit(intervalLength[interval])} end, sum(granted), sum(charged)
      from (
        select created_at, amount as granted, cast(0 as bigint) as charged from transfer where credit_account_id = ${accountId} and ${since}
        union all
        select created_at, -amount, 0 from transfer where debit_account_id = ${accountId} and ${since}
        union all
        select created_at, 0, amount from usage where account_id = ${accountId} and ${since}
      ) as move group by 1`.execute(this.database.db);
    return rows;
  }
}
