import { Injectable } from '@nestjs/common';
import type { ExpressionBuilder, ExpressionWrapper, Selectable, SqlBool, Transaction } from 'kysely';
import type { AdminRole } from '../../auth/administration/administrator.js';
import { ApiKeyHasher } from '../../auth/api-key-hasher.js';
import { generateSecret } from '../../auth/api-key-format.js';
import { randomBase62 } from '../../auth/base62.js';
import { ConfigService } from '../../config/config.service.js';
import { type Beside, Database } from '../../database/database.js';
import type { InvitationTable } from '../../database/people-tables.js';
import type { Schema } from '../../database/schema.js';
import { unlessTaken } from '../../database/store-error.js';
import { normalEmail } from '../email.js';

/** Somebody is to become a member of an account, or an operator. Times are milliseconds since 1970. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: AdminRole;
  /** Undefined for operators. */
  readonly accountId?: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

type NewInvitation = Pick<Invitation, 'email' | 'role' | 'accountId'> & Partial<Pick<Invitation, 'id'>>;

/** An invitation that was just made; `token` is shown this once. */
export interface MadeInvitation {
  readonly invitation: Invitation;
  readonly token: string;
}

/** Milliseconds for which an invitation is valid. */
const VALID_MS = 7 * 86_400_000;

/** Invitations of one account, or for operators, that may be open. */
const MAX_INVITATIONS = 200;

/** Used invitations of one account, or for operators, that are kept: the newest. */
const MAX_USED = 1_000;

/** What `expires_at` is once it was used. The row stays, so that the audit log has its address. */
const USED = 0;

/** Makes, lists and uses up invitations. A new one takes the place of one for the same address and account. */
@Injectable()
export class InvitationStore {
  constructor(
    private readonly database: Database,
    private readonly hasher: ApiKeyHasher,
    private readonly config: ConfigService,
  ) {}

  /** @throws RangeError for a wrong address, and where too many are open; TakenError where another has the id */
  async create({ id = `inv_${randomBase62(16)}`, email, role, accountId }: NewInvitation, beside?: Beside): Promise<MadeInvitation> {
    const address = normalEmail(email);
    const token = generateSecret(this.config.current.keys.prefix, 'invitation');
    const now = this.database.now();
    const insert = async (trx: Transaction<Schema>) => {
      await trx
        .deleteFrom('invitation')
        .where(ofAccount(accountId))
        .where(unused)
        .where((where) => where.or([where('email', '=', address), where('expires_at', '<=', BigInt(now))]))
        .execute();
      const older = trx.selectFrom('invitation').select('id').where(ofAccount(accountId)).where('expires_at', '=', BigInt(USED));
      await trx
        .deleteFrom('invitation')
        .where('id', 'in', older.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(MAX_INVITATIONS).offset(MAX_USED))
        .execute();
      const { count } = await trx
        .selectFrom('invitation')
        .select((select) => select.fn.countAll<bigint>().as('count'))
        .where(ofAccount(accountId))
        .where(unused)
        .executeTakeFirstOrThrow();
      if (count >= BigInt(MAX_INVITATIONS)) throw new RangeError(`at most ${MAX_INVITATIONS} invitations may be open`);
      const made = await trx
        .insertInto('invitation')
        .values({
          id,
          digest: this.hasher.hex(token),
          email: address,
          role,
          account_id: accountId ?? null,
          created_at: now,
          expires_at: now + VALID_MS,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await beside?.(trx, made.id);
      return made;
    };
    const row = await unlessTaken(`there already is an invitation with the id ${id}`, () => this.database.transaction(insert));
    return { invitation: toInvitation(row), token };
  }

  /** The open ones, oldest first. @param accountId undefined: those for operators */
  async list(accountId: string | undefined): Promise<Invitation[]> {
    const rows = await this.database.db
      .selectFrom('invitation')
      .selectAll()
      .where(ofAccount(accountId))
      .where('expires_at', '>', BigInt(this.database.now()))
      .orderBy('created_at')
      .orderBy('id')
      .limit(MAX_INVITATIONS)
      .execute();
    return rows.map(toInvitation);
  }

  /** @returns undefined where it was used or withdrawn, or has expired */
  async find(accountId: string | undefined, id: string): Promise<Invitation | undefined> {
    const row = await this.database.db
      .selectFrom('invitation')
      .selectAll()
      .where('id', '=', id)
      .where(ofAccount(accountId))
      .where('expires_at', '>', BigInt(this.database.now()))
      .executeTakeFirst();
    return row && toInvitation(row);
  }

  /** @returns what was withdrawn; undefined where there is no such invitation */
  async revoke(accountId: string | undefined, id: string, beside?: Beside): Promise<Invitation | undefined> {
    const row = await this.database.transaction(async (trx) => {
      const its = trx.deleteFrom('invitation').where('id', '=', id).where(ofAccount(accountId)).where(unused);
      const gone = await its.returningAll().executeTakeFirst();
      if (gone) await beside?.(trx, id);
      return gone;
    });
    return row && toInvitation(row);
  }

  async withToken(token: string): Promise<Invitation | undefined> {
    const row = await this.database.db
      .selectFrom('invitation')
      .selectAll()
      .where('digest', '=', this.hasher.hex(token))
      .where('expires_at', '>', BigInt(this.database.now()))
      .executeTakeFirst();
    return row && toInvitation(row);
  }

  /** Uses an invitation up. @returns undefined where it is not valid, or not any more */
  async use(trx: Transaction<Schema>, id: string): Promise<Invitation | undefined> {
    return (await this.#use(trx, 'id', id))[0];
  }

  /** Uses up all that are open for an address. @param email as normalEmail writes it */
  useAll(trx: Transaction<Schema>, email: string): Promise<Invitation[]> {
    return this.#use(trx, 'email', email);
  }

  async #use(trx: Transaction<Schema>, by: 'id' | 'email', value: string): Promise<Invitation[]> {
    const rows = await trx
      .updateTable('invitation')
      .set({ expires_at: USED })
      .where(by, '=', value)
      .where('expires_at', '>', BigInt(this.database.now()))
      .returningAll()
      .execute();
    return rows.map(toInvitation);
  }
}

const unused = (where: ExpressionBuilder<Schema, 'invitation'>) => where('expires_at', '!=', BigInt(USED));

const ofAccount =
  (accountId: string | undefined) =>
  (where: ExpressionBuilder<Schema, 'invitation'>): ExpressionWrapper<Schema, 'invitation', SqlBool> =>
    accountId === undefined ? where('account_id', 'is', null) : where('account_id', '=', accountId);

function toInvitation(row: Selectable<InvitationTable>): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    accountId: row.account_id ?? undefined,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}
