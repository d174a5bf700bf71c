import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { AuditLog } from '../../observability/audit/audit-log.js';
import { AdminController } from '../admin-controller.decorator.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import { type AuditView, auditView } from './audit.dto.js';

@AdminController('audit-log')
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  /**
   * Lists who has changed what, by this API and by the command line, newest first.
   * @returns a page of the log
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: PageDto): Promise<PageView<AuditView>> {
    return pageView(await this.log.page(undefined, query), auditView);
  }
}
