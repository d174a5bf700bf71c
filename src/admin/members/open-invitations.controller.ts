import { Body, Delete, Get, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { CurrentVisit, type Visit } from '../../people/visit.js';
import { AdminController, Id, Perform } from '../route.decorators.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import { roleIn } from '../role-in.js';
import { InvitingService } from './inviting.service.js';
import { type InvitationView, invitationView, InviteDto, type MadeInvitationView } from './member.dto.js';

/** Who is invited to be an operator, and below an account who is invited to it. */
@AdminController('operators/invitations', 'accounts/:account/invitations')
export class OpenInvitationsController {
  constructor(private readonly inviting: InvitingService) {}

  /**
   * Lists the open invitations of operators, or to an account, oldest first.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner')
  async list(@Id('account') account: string | undefined, @Query() query: PageDto): Promise<PageView<InvitationView>> {
    return pageView(await this.inviting.page(account, query), invitationView);
  }

  /**
   * Invites somebody to be an operator, or to an account. It takes the place of an earlier invitation of the same address.
   * @returns the invitation with its link, which is shown this once
   * @throws ApiError 404 not_found, also for a repetition once it is open no more, 409 idempotency_conflict, conflict,
   * 429 rate_limit_exceeded where too many were mailed
   */
  @Perform()
  @Roles('operator', 'owner')
  create(
    @Id('account') account: string | undefined,
    @Body() body: InviteDto,
    @CurrentDeed() deed: Deed,
    @CurrentVisit() visit: Visit,
  ): Promise<MadeInvitationView> {
    return this.inviting.create(account, Object.assign(body, { role: roleIn(account, body.role) }), deed, visit);
  }

  /**
   * Withdraws an invitation.
   * @returns the invitation that there was
   * @throws ApiError 404 not_found
   */
  @Delete(':invitation')
  @Roles('operator', 'owner')
  async revoke(
    @Id('account') account: string | undefined,
    @Id('invitation') id: string,
    @CurrentDeed() deed: Deed,
  ): Promise<InvitationView> {
    return invitationView(await this.inviting.revoke(account, id, deed));
  }
}
