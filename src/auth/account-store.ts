import { Injectable } from '@nestjs/common';
import type { Selectable } from 'kysely';
import { type Beside, type ChangeOptions, Database } from '../database/database.js';
import { afterCursor, hasText, hasVersion, type Page, pageOf, rowsToRead, type SearchQuery, timeCursor } from '../database/pages.js';
import type { AccountTable } from '../database/schema.js';
import { unlessTaken } from '../database/store-error.js';
import { randomBase62 } from './base62.js';
import { environments } from './principal.js';
import { type RulesDto, rulesText } from './rules/rules.dto.js';

/** `suspended`: its keys are invalid until it is active again; `closed`: for good. */
export type AccountStatus = 'active' | 'suspended' | 'closed';

/** A customer, who owns API keys and credits. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** When the account was created, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly rules: RulesDto;
  readonly status: AccountStatus;
  /** Grows with each change. */
  readonly version: bigint;
}

export interface AccountOptions {
  /** Made by whoever asks, so that a repetition makes nothing new; absent: made here. */
  readonly id?: string | undefined;
  readonly rules?: RulesDto | undefined;
}

export interface AccountChange {
  readonly name?: string | undefined;
  readonly rules?: RulesDto | undefined;
  readonly status?: AccountStatus | undefined;
}

const columns = ['id', 'name', 'created_at', 'rules', 'status', 'version'] as const;

/** Creates, changes, lists and finds the accounts in the store. */
@Injectable()
export class AccountStore {
  constructor(private readonly database: Database) {}

  /**
   * @throws TakenError where the name or the id is taken, RangeError where the name is empty or longer than 200
   * characters, or the rules are wrong
   */
  async create(name: string, { id = `acct_${randomBase62(16)}`, rules = {} }: AccountOptions = {}, beside?: Beside): Promise<Account> {
    const values = { id, name: nameOf(name), kind: 'customer' as const, created_at: this.database.now(), rules: rulesText(rules) };
    const balance = { account_id: id, kind: 'customer' as const, posted: 0, reserved: 0 };
    return unlessTaken(taken(name), () =>
      this.database.change('api_key', async (trx, version) => {
        await trx
          .insertInto('account')
          .values({ ...values, version })
          .execute();
        await trx
          .insertInto('balance')
          .values(environments.map((environment) => ({ ...balance, environment })))
          .execute();
        await beside?.(trx, id);
        return { id, name: values.name, createdAt: values.created_at, rules, status: 'active' as const, version };
      }),
    );
  }

  /**
   * Changes what is given; rules, which all keys of an account have in common, are replaced as a whole. In force
   * everywhere within a second.
   * @returns undefined when there is no such account, or not in this version, or where it is closed and is to be resumed
   * @throws as create
   */
  async change(
    id: string,
    { name, rules, status }: AccountChange,
    { ifVersion, beside }: ChangeOptions = {},
  ): Promise<Account | undefined> {
    const set = {
      ...(name !== undefined && { name: nameOf(name) }),
      ...(rules !== undefined && { rules: rulesText(rules) }),
      ...(status !== undefined && { status }),
    };
    return unlessTaken(taken(name ?? ''), () =>
      this.database.change('api_key', async (trx, version) => {
        let update = trx
          .updateTable('account')
          .set({ ...set, version })
          .where('id', '=', id)
          .where('kind', '=', 'customer')
          .where(hasVersion(ifVersion));
        if (status !== undefined) update = update.where('status', '<>', 'closed');
        const row = await update.returning(columns).executeTakeFirst();
        if (row) await beside?.(trx, id);
        return row && toAccount(row);
      }),
    );
  }

  /** Lists all accounts, oldest first. */
  async list(): Promise<Account[]> {
    const rows = await this.#customers().orderBy('created_at').orderBy('id').execute();
    return rows.map(toAccount);
  }

  /** Lists accounts, oldest first. @throws RangeError for a wrong cursor */
  async page(query: SearchQuery): Promise<Page<Account>> {
    const rows = await this.#customers()
      .where(hasText(query.search, 'name', 'id'))
      .where(afterCursor('account', query.after))
      .orderBy('created_at')
      .orderBy('id')
      .limit(rowsToRead(query))
      .execute();
    return pageOf(rows, query, timeCursor, toAccount);
  }

  /** Finds an account by its id alone. */
  async withId(id: string): Promise<Account | undefined> {
    const row = await this.#customers().where('id', '=', id).executeTakeFirst();
    return row && toAccount(row);
  }

  /**
   * Finds an account by its id or its name.
   * @throws RangeError where it is the id of one and the name of another
   */
  async find(idOrName: string): Promise<Account | undefined> {
    const rows = await this.#customers()
      .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)]))
      .execute();
    const own = rows.find(({ id }) => id === idOrName);
    const named = rows.find((row) => row !== own);
    if (own && named)
      throw new RangeError(
        `'${idOrName}' is the id of the account ${own.name} and the name of another: give the name '${own.name}' or the id '${named.id}'`,
      );
    const row = own ?? named;
    return row && toAccount(row);
  }

  #customers() {
    return this.database.db.selectFrom('account').select(columns).where('kind', '=', 'customer');
  }
}

const taken = (name: string): string => `there already is an account named ${name.trim()}, or with this id`;

function nameOf(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length < 1 || trimmed.length > 200) throw new RangeError('an account’s name has 1 to 200 characters');
  return trimmed;
}

function toAccount(row: Selectable<Pick<AccountTable, (typeof columns)[number]>>): Account {
  const rules = row.rules === null ? {} : (JSON.parse(row.rules) as RulesDto);
  return { id: row.id, name: row.name, createdAt: Number(row.created_at), rules, status: row.status, version: row.version };
}
