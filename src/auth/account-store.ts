import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { isUniqueViolation } from '../database/store-error.js';
import { randomBase62 } from './base62.js';
import { environments } from './principal.js';

/** A customer, who owns API keys and credits. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** When the account was created, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** Creates, lists and finds the accounts in the store. */
@Injectable()
export class AccountStore {
  constructor(private readonly database: Database) {}

  /** @throws Error where the name is taken, RangeError where it is empty or longer than 200 characters */
  async create(name: string): Promise<Account> {
    const account = { id: `acct_${randomBase62(16)}`, name: name.trim(), createdAt: Date.now() };
    if (account.name.length < 1 || account.name.length > 200) throw new RangeError('an account’s name has 1 to 200 characters');
    const { db } = this.database;
    const balance = { account_id: account.id, kind: 'customer' as const, posted: 0, reserved: 0 };
    try {
      await this.database.batch([
        db.insertInto('account').values({ id: account.id, name: account.name, kind: 'customer', created_at: account.createdAt }),
        db.insertInto('balance').values(environments.map((environment) => ({ ...balance, environment }))),
      ]);
    } catch (error) {
      if (isUniqueViolation(error)) throw new Error(`there already is an account named ${account.name}`, { cause: error });
      throw error;
    }
    return account;
  }

  /** Lists all accounts, oldest first. */
  async list(): Promise<Account[]> {
    const rows = await this.#customers().orderBy('created_at').orderBy('id').execute();
    return rows.map(toAccount);
  }

  /** Finds an account by its id, or else by its name. */
  async find(idOrName: string): Promise<Account | undefined> {
    const rows = await this.#customers()
      .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)]))
      .execute();
    const row = rows.find(({ id }) => id === idOrName) ?? rows[0];
    return row && toAccount(row);
  }

  #customers() {
    return this.database.db.selectFrom('account').select(['id', 'name', 'created_at']).where('kind', '=', 'customer');
  }
}

function toAccount(row: { id: string; name: string; created_at: bigint }): Account {
  return { id: row.id, name: row.name, createdAt: Number(row.created_at) };
}
