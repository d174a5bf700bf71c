import { Injectable } from '@nestjs/common';
import { noAccount } from '../../auth/administration/no-account.js';
import { type Account, type AccountChange, AccountStore } from '../../auth/account-store.js';
import { ApiError } from '../../common/api-error.js';
import type { Page, SearchQuery } from '../../database/pages.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { difference, requireChanged } from '../changes.js';
import type { Change } from '../route.decorators.js';
import type { CreateKeyHolderDto } from '../key-holder.dto.js';
import { OnceService } from '../once.service.js';

@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountStore,
    private readonly once: OnceService,
  ) {}

  page(query: SearchQuery): Promise<Page<Account>> {
    return this.accounts.page(query);
  }

  /** @throws ApiError 404 not_found */
  async get(id: string): Promise<Account> {
    const account = await this.accounts.withId(id);
    if (!account) throw noAccount(id);
    return account;
  }

  create({ id, ...content }: CreateKeyHolderDto, deed: Deed): Promise<Account> {
    return this.once.once({
      kind: 'account',
      prefix: 'acct',
      id,
      content,
      deed,
      make: (made, beside) => this.accounts.create(content.name, { id: made, rules: content.rules }, beside),
      find: (made) => this.accounts.withId(made),
    });
  }

  async change(id: string, change: AccountChange, by: Change): Promise<Account> {
    const { name, rules, status } = change;
    const account = await this.get(id);
    if (status !== undefined && status !== 'closed' && account.status === 'closed')
      throw new ApiError('conflict', 'The account is closed, for good.');
    const differs = difference(account, { name: name?.trim(), rules, status }, by, id);
    if (!differs) return account;
    const after = await this.accounts.change(id, differs.fields, differs.options);
    // Somebody has closed it meanwhile.
    if (!after && by.ifVersion === undefined) return this.change(id, change, by);
    return requireChanged(after);
  }
}
