import { Body, Delete, Get, Patch, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, type Change, Id, IfMatch, Perform } from '../route.decorators.js';
import { ChangeKeyHolderDto, CreateKeyHolderDto } from '../key-holder.dto.js';
import { type PageView, pageView, SearchDto } from '../page.dto.js';
import { type AccountView, accountView } from './account.dto.js';
import { AccountsService } from './accounts.service.js';

@AdminController('accounts')
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  /**
   * Lists the accounts, oldest first.
   * @returns a page of them
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: SearchDto): Promise<PageView<AccountView>> {
    return pageView(await this.accounts.page(query), accountView);
  }

  /**
   * Makes an account, with a live and a test balance of 0.
   * @returns the account, also where it was made before
   * @throws ApiError 409 idempotency_conflict, conflict
   */
  @Perform()
  @Roles('operator')
  async create(@Body() body: CreateKeyHolderDto, @CurrentDeed() deed: Deed): Promise<AccountView> {
    return accountView(await this.accounts.create(body, deed));
  }

  /**
   * Shows an account.
   * @returns the account
   * @throws ApiError 404 not_found
   */
  @Get(':account')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async get(@Id('account') id: string): Promise<AccountView> {
    return accountView(await this.accounts.get(id));
  }

  /**
   * Changes what is given of an account. Rules are replaced as a whole, and in force within a second.
   * @returns the account as it is now
   * @throws ApiError 404 not_found, 409 conflict, 412 precondition_failed
   */
  @Patch(':account')
  @Roles('operator')
  async change(@Id('account') id: string, @Body() body: ChangeKeyHolderDto, @IfMatch() by: Change): Promise<AccountView> {
    return accountView(await this.accounts.change(id, body, by));
  }

  /**
   * Rejects the keys of an account until it is resumed, and ends their open requests, within a second.
   * @returns the account as it is now
   * @throws ApiError 404 not_found, 409 conflict where it is closed, 412 precondition_failed
   */
  @Perform(':account/suspend')
  @Roles('operator')
  async suspend(@Id('account') id: string, @IfMatch() by: Change): Promise<AccountView> {
    return accountView(await this.accounts.change(id, { status: 'suspended' }, by));
  }

  /**
   * Accepts the keys of a suspended account again, within a second.
   * @returns the account as it is now
   * @throws ApiError 404 not_found, 409 conflict where it is closed, 412 precondition_failed
   */
  @Perform(':account/resume')
  @Roles('operator')
  async resume(@Id('account') id: string, @IfMatch() by: Change): Promise<AccountView> {
    return accountView(await this.accounts.change(id, { status: 'active' }, by));
  }

  /**
   * Closes an account for good, as suspended ones are for a time. It stays in the list, with its ledger.
   * @returns the account as it is now
   * @throws ApiError 404 not_found, 412 precondition_failed
   */
  @Delete(':account')
  @Roles('operator')
  async close(@Id('account') id: string, @IfMatch() by: Change): Promise<AccountView> {
    return accountView(await this.accounts.change(id, { status: 'closed' }, by));
  }
}
