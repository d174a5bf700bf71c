import { Injectable } from '@nestjs/common';
import { type Account, AccountStore } from '../auth/account-store.js';
import { ApiKeyStore } from '../auth/api-key-store.js';
import { environments } from '../auth/principal.js';
import { parseCredits } from '../common/prices/credits.js';
import { ConfigService } from '../config/config.service.js';
import { FirstOwner, type StarterOwner } from '../people/first-owner.js';
import { CreditStore } from './credit-store.js';

/** What a first start has made. Nothing but this has the whole keys. */
export interface StarterAccount {
  readonly account: Account;
  /** Nano-credits, in each of the two environments. */
  readonly credits: bigint;
  readonly liveKey: string;
  readonly testKey: string;
  /** Signs in the person who owns the account and is an operator. */
  readonly owner: StarterOwner;
}

const NAME = 'starter';

/** Makes an account with credits, keys and an owner, so that the embedded default can be used at once. */
@Injectable()
export class FirstStart {
  constructor(
    private readonly accounts: AccountStore,
    private readonly keys: ApiKeyStore,
    private readonly credits: CreditStore,
    private readonly owners: FirstOwner,
    private readonly config: ConfigService,
  ) {}

  /**
   * Makes nothing, and returns undefined, where there already is an account, or where several gateways share a store.
   */
  async seed(): Promise<StarterAccount | undefined> {
    const { store, keys } = this.config.current;
    if (store.database_url || (await this.accounts.list()).length > 0) return undefined;
    const account = await this.accounts.create(NAME);
    const credits = parseCredits(keys.starter_credits);
    for (const environment of environments)
      if (credits > 0n) await this.credits.grant({ accountId: account.id, environment, amount: credits, note: 'starter credits' });
    const [live, test] = [await this.#key(account, 'live'), await this.#key(account, 'test')];
    const owner = await this.owners.make(account.id);
    return { account, credits, liveKey: live, testKey: test, owner };
  }

  async #key(account: Account, environment: 'live' | 'test'): Promise<string> {
    const { key } = await this.keys.create({ accountId: account.id, environment, label: NAME });
    return key;
  }
}
