import { Injectable } from '@nestjs/common';
import type { Compilable } from 'kysely';
import { Database } from '../database/database.js';
import { runLastBatch } from '../database/run-batch.js';
import { tellFallen } from './low-balance-statements.js';
import { WebhookEndpoints } from './webhook-endpoints.js';

/** Balances that fall below what an endpoint calls low. */
@Injectable()
export class LowBalances {
  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpoints,
  ) {}

  /**
   * What a transaction that charges these accounts has to run after it has changed their balances, whose rows it has
   * locked. Nothing where no endpoint watches them.
   */
  changed(accountIds: readonly string[]): Compilable[] {
    const watched = accountIds.filter((accountId) => this.endpoints.watchesBalancesOf(accountId));
    return watched.length === 0 ? [] : tellFallen(this.database, watched);
  }

  /** Tells of what has fallen while gateways did not know yet of an endpoint that has just been made. */
  async catchUp(): Promise<void> {
    const rows = await this.database.db
      .selectFrom('low_balance_watch as watch')
      .innerJoin('webhook_endpoint as endpoint', 'endpoint.id', 'watch.endpoint_id')
      .innerJoin('balance', (on) =>
        on.onRef('balance.account_id', '=', 'watch.account_id').onRef('balance.environment', '=', 'watch.environment'),
      )
      .select('watch.account_id')
      .distinct()
      .whereRef('balance.posted', '<', 'endpoint.low_balance_below')
      .execute();
    for (const { account_id } of rows) {
      await this.database.transaction(async (trx) => {
        await this.database.forUpdate(trx.selectFrom('balance').select('posted').where('account_id', '=', account_id)).execute();
        await runLastBatch(trx, tellFallen(this.database, [account_id]));
      });
    }
  }
}
