import { Injectable } from '@nestjs/common';
import type { Selectable, Transaction } from 'kysely';
import { ConfigService } from '../../config/config.service.js';
import { type Beside, Database } from '../../database/database.js';
import { afterCursor, type Page, pageOf, type PageQuery, rowsToRead, timeCursor } from '../../database/pages.js';
import type { AdminTokenTable, Schema } from '../../database/schema.js';
import { unlessTaken } from '../../database/store-error.js';
import { ApiKeyHasher } from '../api-key-hasher.js';
import { displaySecret, generateSecret } from '../api-key-format.js';
import { randomBase62 } from '../base62.js';
import { PEPPER_VERSION } from '../pepper.js';
import type { AdminRole } from './administrator.js';

/** What may be shown of a token of the administration API. Times are milliseconds since 1970. */
export interface AdminToken {
  readonly id: string;
  readonly role: AdminRole;
  /** Undefined for operators. */
  readonly accountId?: string | undefined;
  readonly label: string;
  /** The prefix and the first and last four characters. */
  readonly display: string;
  readonly createdAt: number;
  readonly expiresAt?: number | undefined;
  readonly revokedAt?: number | undefined;
  /** Grows with each change. */
  readonly version: bigint;
}

interface NewAdminToken {
  /** Made by whoever asks, so that a repetition makes nothing new; absent: made here. */
  readonly id?: string | undefined;
  readonly role: AdminRole;
  /** Of members alone, and of all of them. */
  readonly accountId?: string | undefined;
  readonly label?: string | undefined;
  /** Milliseconds since 1970; absent: never. */
  readonly expiresAt?: number | undefined;
}

/** A token that was just made; `token` is the full text, which is shown this once. */
export interface MadeAdminToken {
  readonly adminToken: AdminToken;
  readonly token: string;
}

const MAX_LABEL = 200;

/** Creates, lists and revokes the tokens of the administration API. */
@Injectable()
export class AdminTokenStore {
  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
    private readonly config: ConfigService,
  ) {}

  /**
   * @throws RangeError where a member has no account, an operator has one, the label is too long, or there are as many
   * tokens as may be, TakenError where the id is taken
   */
  async create(
    { id = `tok_${randomBase62(16)}`, role, accountId, label = '', expiresAt }: NewAdminToken,
    beside?: Beside,
  ): Promise<MadeAdminToken> {
    if ((role === 'operator') !== (accountId === undefined))
      throw new RangeError(
        role === 'operator' ? 'an operator’s token belongs to no account' : `a token of the role ${role} belongs to an account`,
      );
    if (label.length > MAX_LABEL) throw new RangeError(`a token’s label has at most ${MAX_LABEL} characters`);
    const token = generateSecret(this.config.current.keys.prefix, 'admin');
    const work = async (trx: Transaction<Schema>, version: bigint) => {
      const made = await trx
        .insertInto('admin_token')
        .values({
          id,
          digest: this.hasher.hex(token),
          pepper_version: PEPPER_VERSION,
          role,
          account_id: accountId ?? null,
          label,
          display: displaySecret(token),
          created_at: this.database.now(),
          expires_at: expiresAt,
          version,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await this.#requireRoom(trx, accountId);
      await beside?.(trx, id, { before: 'none', after: role });
      return made;
    };
    const row = await unlessTaken(`there already is a token with the id ${id}`, () => this.database.change('admin_token', work));
    return { adminToken: toAdminToken(row), token };
  }

  /** @throws RangeError */
  async #requireRoom(trx: Transaction<Schema>, accountId: string | undefined): Promise<void> {
    const { tokens_per_account: most } = this.config.current.limits;
    const now = BigInt(this.database.now());
    const { count } = await trx
      .selectFrom('admin_token')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('account_id', accountId === undefined ? 'is' : '=', accountId ?? null)
      .where('revoked_at', 'is', null)
      .where((one) => one.or([one('expires_at', 'is', null), one('expires_at', '>', now)]))
      .executeTakeFirstOrThrow();
    if (count > most)
      throw new RangeError(`there may be ${most} valid tokens of an account (limits.tokens_per_account): revoke those that nobody needs`);
  }

  /**
   * Revokes a token. One that was already revoked stays as it was.
   * @returns undefined when there is no such token
   */
  async revoke(id: string, beside?: Beside): Promise<AdminToken | undefined> {
    const revoked = await this.database.change('admin_token', async (trx, version) => {
      const row = await trx
        .updateTable('admin_token')
        .set({ revoked_at: this.database.now(), version })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (row) await beside?.(trx, id, { before: row.role, after: 'none' });
      return row;
    });
    return revoked ? toAdminToken(revoked) : this.find(id);
  }

  /** Removes a token that was made for one question, and of which no log tells. */
  async remove(id: string): Promise<void> {
    await this.database.change('admin_token', (trx) => trx.deleteFrom('admin_token').where('id', '=', id).execute());
  }

  async find(id: string): Promise<AdminToken | undefined> {
    const row = await this.database.db.selectFrom('admin_token').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toAdminToken(row);
  }

  /** Lists all tokens, oldest first. */
  async list(): Promise<AdminToken[]> {
    const rows = await this.database.db.selectFrom('admin_token').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(toAdminToken);
  }

  /**
   * @param accountId undefined: the tokens of operators
   * @throws RangeError for a wrong cursor
   */
  async page(accountId: string | undefined, query: PageQuery): Promise<Page<AdminToken>> {
    const rows = await this.database.db
      .selectFrom('admin_token')
      .selectAll()
      .where('account_id', accountId === undefined ? 'is' : '=', accountId ?? null)
      .where(afterCursor('admin_token', query.after))
      .orderBy('created_at')
      .orderBy('id')
      .limit(rowsToRead(query))
      .execute();
    return pageOf(rows, query, timeCursor, toAdminToken);
  }
}

function toAdminToken(row: Selectable<AdminTokenTable>): AdminToken {
  return {
    id: row.id,
    role: row.role,
    accountId: row.account_id ?? undefined,
    label: row.label,
    display: row.display,
    createdAt: Number(row.created_at),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
    revokedAt: row.revoked_at === null ? undefined : Number(row.revoked_at),
    version: row.version,
  };
}
