import { Get, Query } from '@nestjs/common';
import type { Administrator } from '../../auth/administration/administrator.js';
import { CurrentAdministrator, Roles } from '../../auth/administration/roles.decorator.js';
import { AuditLog } from '../../observability/audit/audit-log.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { AdminController } from '../admin-controller.decorator.js';
import { Id } from '../fields.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import { type AuditView, auditView, memberAuditView } from './audit.dto.js';

@AdminController('accounts/:account/audit-log')
export class AccountAuditController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly log: AuditLog,
  ) {}

  /**
   * Lists who has changed what of an account, newest first.
   * @returns a page of the log
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner', 'admin')
  async list(
    @Id('account') account: string,
    @Query() query: PageDto,
    @CurrentAdministrator() { role }: Administrator,
  ): Promise<PageView<AuditView>> {
    await this.accounts.get(account);
    return pageView(await this.log.page(account, query), role === 'operator' ? auditView : memberAuditView);
  }
}
