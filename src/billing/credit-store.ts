import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { Environment } from '../auth/principal.js';
import { formatCredits, MAX_NANO } from '../common/credits.js';
import { Database } from '../database/database.js';
import { isOverflow } from '../database/store-error.js';
import { watchBalancesFor } from '../webhooks/low-balance-statements.js';
import { GRANTS } from './system-accounts.js';

/** Nano-credits. */
export interface Balance {
  readonly environment: Environment;
  /** All that the account has. */
  readonly posted: bigint;
  /** For open requests; the store learns of one when it has been open for a moment. */
  readonly held: bigint;
  readonly available: bigint;
  /** What gateways have leased, used or not; part of `posted`. */
  readonly leased: bigint;
}

export interface Grant {
  readonly accountId: string;
  readonly environment: Environment;
  /** Nano-credits, more than 0. */
  readonly amount: bigint;
  readonly note?: string;
  /** Chosen by a caller that may repeat the grant: the same id moves money once. */
  readonly id?: string;
}

/** Credits as operators see them. */
@Injectable()
export class CreditStore {
  constructor(private readonly database: Database) {}

  /**
   * @returns false where a transfer of that id was made before
   * @throws RangeError where the account, or all accounts together, would have more than 64 bits can hold
   */
  async grant(grant: Grant): Promise<boolean> {
    try {
      return await this.#grant(grant);
    } catch (error) {
      if (!isOverflow(error)) throw error;
      throw new RangeError(`no account, nor all together, can have more than ${formatCredits(MAX_NANO)} credits`, { cause: error });
    }
  }

  async #grant({ accountId, environment, amount, note, id = randomUUIDv7() }: Grant): Promise<boolean> {
    return this.database.transaction(async (trx) => {
      const made = await trx
        .insertInto('transfer')
        .values({
          id,
          environment,
          debit_account_id: GRANTS,
          credit_account_id: accountId,
          amount,
          kind: 'grant',
          note,
          created_at: Date.now(),
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (!made) return false;
      const move = (account: string, by: bigint) =>
        trx
          .updateTable('balance')
          .set((update) => ({ posted: update('posted', '+', by) }))
          .where('account_id', '=', account)
          .where('environment', '=', environment)
          .execute();
      await move(accountId, amount);
      await watchBalancesFor(this.database, { accountId }).execute(trx);
      await move(GRANTS, -amount);
      return true;
    });
  }

  /** The account's balances in both environments. */
  async balances(accountId: string): Promise<Balance[]> {
    const rows = await this.database.db
      .selectFrom('balance')
      .select((balance) => [
        'environment',
        'posted',
        'reserved',
        balance
          .selectFrom('inflight')
          .select(({ fn }) => fn.coalesce(fn.sum<bigint>('hold'), sql<bigint>`0`).as('held'))
          .whereRef('inflight.account_id', '=', 'balance.account_id')
          .whereRef('inflight.environment', '=', 'balance.environment')
          .as('held'),
      ])
      .where('account_id', '=', accountId)
      .orderBy('environment')
      .execute();
    return rows.map(({ environment, posted, reserved, held }) => ({
      environment,
      posted,
      held: held ?? 0n,
      available: posted - (held ?? 0n),
      leased: reserved,
    }));
  }
}
