import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { isUniqueViolation } from '../database/store-error.js';
import { randomBase62 } from './base62.js';
import { environments } from './principal.js';
import { type RulesDto, rulesText } from './rules/rules.dto.js';

/** A customer, who owns API keys and credits. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** When the account was created, in milliseconds since 1970. */
  readonly createdAt: number;
  readonly rules: RulesDto;
  /** Grows with each change of the rules. */
  readonly version: bigint;
}

/** Creates, lists and finds the accounts in the store. */
@Injectable()
export class AccountStore {
  constructor(private readonly database: Database) {}

  /**
   * @param id made by whoever asks, so that a repetition makes nothing new; absent: made here
   * @throws Error where the name is taken, RangeError where it is empty or longer than 200 characters
   */
  async create(name: string, id = `acct_${randomBase62(16)}`): Promise<Account> {
    const account = { id, name: name.trim(), createdAt: Date.now(), rules: {}, version: 0n };
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

  /**
   * Replaces the rules that all keys of an account have in common. In force everywhere within a second.
   * @returns undefined when there is no such account
   * @throws RangeError where the rules are wrong
   */
  async changeRules(id: string, rules: RulesDto): Promise<Account | undefined> {
    const text = rulesText(rules);
    await this.database.change('api_key', (trx, version) =>
      trx.updateTable('account').set({ rules: text, version }).where('id', '=', id).where('kind', '=', 'customer').execute(),
    );
    return this.find(id);
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
    return this.database.db.selectFrom('account').select(['id', 'name', 'created_at', 'rules', 'version']).where('kind', '=', 'customer');
  }
}

function toAccount(row: { id: string; name: string; created_at: bigint; rules: string | null; version: bigint }): Account {
  const rules = row.rules === null ? {} : (JSON.parse(row.rules) as RulesDto);
  return { id: row.id, name: row.name, createdAt: Number(row.created_at), rules, version: row.version };
}
