import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { type Bucket, epochBefore, type Totals } from './performance.js';
import { performanceSums as sums, PerformanceHistory } from '../observability/performance-history.js';
import { MAX_ROWS } from './rows-per-statement.js';

export interface OfferBucket {
  readonly provider: string;
  readonly model: string;
  readonly bucket: Readonly<Bucket>;
}

interface OfferTotals extends Totals {
  readonly provider: string;
  readonly model: string;
}

/**
 * Stores what the gateways publish of their traffic: a row for each gateway, offer and bucket, for as long as the
 * bucket counts.
 */
@Injectable()
export class PerformanceStore {
  readonly #history: PerformanceHistory;

  constructor(private readonly database: Database) {
    this.#history = new PerformanceHistory(database);
  }

  /** Writes whole buckets, so that a repeated write changes nothing, and keeps those that no longer count as history. */
  async publish(nodeId: string, buckets: readonly OfferBucket[]): Promise<void> {
    const { db } = this.database;
    const rows = buckets.map(({ provider, model, bucket }) => ({
      bucket: bucket.epoch,
      provider,
      model,
      node_id: nodeId,
      served: bucket.served,
      failed: bucket.failed,
      total_ms: Math.round(bucket.totalMs),
      tokens: bucket.tokens,
      streams: bucket.streams,
      first_token_ms: Math.round(bucket.firstTokenMs),
    }));
    for (let from = 0; from < rows.length; from += MAX_ROWS) {
      await db
        .insertInto('performance')
        .values(rows.slice(from, from + MAX_ROWS))
        .onConflict((conflict) =>
          conflict
            .columns(['bucket', 'provider', 'model', 'node_id'])
            .doUpdateSet((row) => Object.fromEntries(sums.map((name) => [name, row.ref(`excluded.${name}`)]))),
        )
        .execute();
    }
    await this.#history.keep(epochBefore(this.database.now()));
  }

  /**
   * Sums up the last half hour by offer.
   * @param exceptNode the gateway whose rows are left out
   */
  async totals(exceptNode?: string): Promise<OfferTotals[]> {
    let query = this.database.db.selectFrom('performance').where('bucket', '>', BigInt(epochBefore(this.database.now())));
    if (exceptNode !== undefined) query = query.where('node_id', '<>', exceptNode);
    const rows = await query
      .select(({ fn }) => ['provider', 'model', ...sums.map((name) => fn.sum<bigint>(name).as(name))])
      .groupBy(['provider', 'model'])
      .orderBy('model')
      .orderBy('provider')
      .execute();
    return rows.map(({ provider, model, served, failed, total_ms, tokens, streams, first_token_ms }) => ({
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
