import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Selectable, sql } from 'kysely';
import type { Environment } from '../auth/principal.js';
import { formatCredits, MAX_NANO } from '../common/prices/credits.js';
import { type Beside, Database } from '../database/database.js';
import { afterCursor, type Page, pageOf, type PageQuery, rowsToRead, timeCursor } from '../database/pages.js';
import type { TransferTable } from '../database/schema.js';
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
  readonly note?: string | undefined;
  /** Chosen by a caller that may repeat the grant: the same id moves money once. */
  readonly id?: string | undefined;
}

/** Money that an account was given. */
export interface Transfer {
  readonly id: string;
  readonly accountId: string;
  readonly environment: Environment;
  /** Nano-credits. */
  readonly amount: bigint;
  readonly kind: string;
  readonly note: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Whether a grant under the id of a transfer repeats it: it moves the same. */
export function repeats({ accountId, environment, amount }: Grant, made: Transfer): boolean {
  return made.accountId === accountId && made.environment === environment && made.amount === amount;
}

function toTransfer(row: Selectable<TransferTable>): Transfer {
  return {
    id: row.id,
    accountId: row.credit_account_id,
    environment: row.environment,
    amount: row.amount,
    kind: row.kind,
    note: row.note,
    createdAt: Number(row.created_at),
  };
}

/** Credits as operators see them. */
@Injectable()
export class CreditStore {
  constructor(private readonly database: Database) {}

  /**
   * @param beside what is written in the same transaction, where the grant is made
   * @returns false where a transfer of that id was made before
   * @throws RangeError where the account, or all accounts together, would have more than 64 bits can hold
   */
  async grant(grant: Grant, beside?: Beside): Promise<boolean> {
    try {
      return await this.#grant(grant, beside);
    } catch (error) {
      if (!isOverflow(error)) throw error;
      throw new RangeError(`no account, nor all together, can have more than ${formatCredits(MAX_NANO)} credits`, { cause: error });
    }
  }

  async #grant({ accountId, environment, amount, note, id = randomUUIDv7() }: Grant, beside?: Beside): Promise<boolean> {
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
          created_at: this.database.now(),
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
      await beside?.(trx, id);
      return true;
    });
  }

  async transfer(id: string): Promise<Transfer | undefined> {
    const row = await this.database.db.selectFrom('transfer').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toTransfer(row);
  }

  /** What an account was given, newest first; its requests are in the usage. @throws RangeError for a wrong cursor */
  async transfers(accountId: string, query: PageQuery): Promise<Page<Transfer>> {
    const rows = await this.database.db
      .selectFrom('transfer')
      .selectAll()
      .where('credit_account_id', '=', accountId)
      .where(afterCursor('transfer', query.after, true))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(rowsToRead(query))
      .execute();
    return pageOf(rows, query, timeCursor, toTransfer);
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
