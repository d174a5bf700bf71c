import { Body, Delete, Get, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { CurrentVisit, type Visit } from '../../people/visit.js';
import { AdminController, Perform } from '../admin-controller.decorator.js';
import { Id } from '../fields.js';
import { InvitingService } from '../members/inviting.service.js';
import { type InvitationView, invitationView, InviteOperatorDto, type MadeInvitationView } from '../members/member.dto.js';
import { PageDto, type PageView, pageView, SearchDto } from '../page.dto.js';
import { type UserView, userView } from './user.dto.js';
import { UsersService } from './users.service.js';

/** The people who are operators. */
@AdminController('operators')
export class OperatorsController {
  constructor(
    private readonly users: UsersService,
    private readonly inviting: InvitingService,
  ) {}

  /**
   * Lists the people who are operators, oldest first.
   * @returns a page of them
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: SearchDto): Promise<PageView<UserView>> {
    return pageView(await this.users.page(query, true), userView);
  }

  /**
   * Makes somebody an operator no longer. They stay what they are in accounts; the last operator stays.
   * @returns the person as they are now
   * @throws ApiError 404 not_found
   */
  @Delete(':user')
  @Roles('operator')
  async dismiss(@Id('user') id: string, @CurrentDeed() deed: Deed): Promise<UserView> {
    return userView(await this.users.dismiss(id, deed));
  }

  /**
   * Lists the open invitations of operators, oldest first.
   * @returns a page of them
   */
  @Get('invitations')
  @Roles('operator')
  async invitations(@Query() query: PageDto): Promise<PageView<InvitationView>> {
    return pageView(await this.inviting.page(undefined, query), invitationView);
  }

  /**
   * Invites somebody to be an operator. It takes the place of an earlier invitation of the same address.
   * @returns the invitation with its link, which is shown this once
   * @throws ApiError 404 not_found for a repetition once it is open no more, 409 idempotency_conflict, conflict,
   * 429 rate_limit_exceeded where too many were mailed
   */
  @Perform('invitations')
  @Roles('operator')
  invite(
    @Body() { id, email, mail }: InviteOperatorDto,
    @CurrentDeed() deed: Deed,
    @CurrentVisit() visit: Visit,
  ): Promise<MadeInvitationView> {
    return this.inviting.create(undefined, { id, email, role: 'operator', mail }, deed, visit);
  }

  /**
   * Withdraws an invitation of an operator.
   * @returns the invitation that there was
   * @throws ApiError 404 not_found
   */
  @Delete('invitations/:invitation')
  @Roles('operator')
  async revoke(@Id('invitation') id: string, @CurrentDeed() deed: Deed): Promise<InvitationView> {
    return invitationView(await this.inviting.revoke(undefined, id, deed));
  }
}
