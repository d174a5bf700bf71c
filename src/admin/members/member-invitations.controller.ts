import { Body, Delete, Get, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { CurrentVisit, type Visit } from '../../people/visit.js';
import { AdminController, Perform } from '../admin-controller.decorator.js';
import { Id } from '../fields.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import { InvitingService } from './inviting.service.js';
import { type InvitationView, invitationView, InviteMemberDto, type MadeInvitationView } from './member.dto.js';

/** Who is invited to an account. */
@AdminController('accounts/:account/invitations')
export class MemberInvitationsController {
  constructor(private readonly inviting: InvitingService) {}

  /**
   * Lists the open invitations to an account, oldest first.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner')
  async list(@Id('account') account: string, @Query() query: PageDto): Promise<PageView<InvitationView>> {
    return pageView(await this.inviting.page(account, query), invitationView);
  }

  /**
   * Invites somebody to an account. It takes the place of an earlier invitation of the same address.
   * @returns the invitation with its link, which is shown this once
   * @throws ApiError 404 not_found, also for a repetition once it is open no more, 409 idempotency_conflict, conflict,
   * 429 rate_limit_exceeded where too many were mailed
   */
  @Perform()
  @Roles('operator', 'owner')
  create(
    @Id('account') account: string,
    @Body() body: InviteMemberDto,
    @CurrentDeed() deed: Deed,
    @CurrentVisit() visit: Visit,
  ): Promise<MadeInvitationView> {
    return this.inviting.create(account, body, deed, visit);
  }

  /**
   * Withdraws an invitation.
   * @returns the invitation that there was
   * @throws ApiError 404 not_found
   */
  @Delete(':invitation')
  @Roles('operator', 'owner')
  async revoke(@Id('account') account: string, @Id('invitation') id: string, @CurrentDeed() deed: Deed): Promise<InvitationView> {
    return invitationView(await this.inviting.revoke(account, id, deed));
  }
}
