import { Injectable } from '@nestjs/common';
import type { Selectable } from 'kysely';
import { randomBase62 } from '../auth/base62.js';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import { type Beside, Database } from '../database/database.js';
import type { WebhookEndpointTable } from '../database/webhook-tables.js';
import { watchBalancesFor } from './low-balance-statements.js';
import { requireEvents } from './webhook-endpoint.js';
import { removeEndpoint, sealedSecret } from './webhook-endpoint-store.js';

const events = ['balance.low'] as const;

/**
 * Which people are told by mail when the balances of an account are low. Each is an endpoint beside those of webhooks,
 * so that a fall is told of in the same way: written with the charge, and sent by one gateway at a time.
 */
@Injectable()
export class BalanceAlertStore {
  constructor(
    private readonly database: Database,
    private readonly secrets: DerivedSecrets,
  ) {}

  /** @returns below how many nano-credits a balance is low; undefined where the person is not told */
  async find(accountId: string, personId: string): Promise<bigint | undefined> {
    return (await this.#row(accountId, personId))?.low_balance_below ?? undefined;
  }

  /**
   * Tells a person of balances that fall below an amount from now on. One that is low by then is not told of.
   * @param below nano-credits
   * @throws RangeError
   */
  async set(accountId: string, personId: string, below: bigint, beside: Beside): Promise<void> {
    requireEvents(events, accountId, below);
    await this.database.change('webhook', async (trx, version) => {
      const id = `whk_${randomBase62(16)}`;
      const { id: stored } = await trx
        .insertInto('webhook_endpoint')
        .values({
          id,
          account_id: accountId,
          person_id: personId,
          url: '',
          events: JSON.stringify(events),
          // Nothing is signed with it. Gateways of the version before open the secret of every endpoint.
          secret: sealedSecret(this.secrets, id),
          low_balance_below: below,
          created_at: this.database.now(),
          version,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'person_id'])
            .where('person_id', 'is not', null)
            .doUpdateSet({ low_balance_below: below, version }),
        )
        .returning('id')
        .executeTakeFirstOrThrow();
      await trx.deleteFrom('low_balance_watch').where('endpoint_id', '=', stored).execute();
      await watchBalancesFor(this.database, { endpointId: stored }).execute(trx);
      await beside(trx, stored);
    });
  }

  /** Tells a person no more, also not of what has happened already. */
  async remove(accountId: string, personId: string, beside?: Beside): Promise<void> {
    const row = await this.#row(accountId, personId);
    if (row) await removeEndpoint(this.database, row.id, { beside });
  }

  #row(accountId: string, personId: string): Promise<Selectable<WebhookEndpointTable> | undefined> {
    return this.database.db
      .selectFrom('webhook_endpoint')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('person_id', '=', personId)
      .executeTakeFirst();
  }
}
