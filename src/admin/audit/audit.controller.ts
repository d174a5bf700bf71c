import { Get, Query } from '@nestjs/common';
import type { Administrator } from '../../auth/administration/administrator.js';
import { CurrentAdministrator, Roles } from '../../auth/administration/roles.decorator.js';
import { AuditLog } from '../../observability/audit/audit-log.js';
import { AdminController, Id } from '../route.decorators.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import { type AuditView, auditView, memberAuditView } from './audit.dto.js';

/** The log of all changes, and below an account of those that concern it. */
@AdminController('audit-log', 'accounts/:account/audit-log')
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  /**
   * Lists who has changed what, by this API and by the command line, newest first.
   * @returns a page of the log
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner', 'admin')
  async list(
    @Id('account') account: string | undefined,
    @Query() query: PageDto,
    @CurrentAdministrator() { role }: Administrator,
  ): Promise<PageView<AuditView>> {
    return pageView(await this.log.page(account, query), role === 'operator' ? auditView : memberAuditView);
  }
}
