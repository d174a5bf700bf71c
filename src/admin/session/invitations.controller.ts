import { Body, Get } from '@nestjs/common';
import { Public } from '../../http/requests/public.decorator.js';
import { InvitationsService } from '../../people/invitations/invitations.service.js';
import { CurrentVisit, type Visit } from '../../people/visit.js';
import { AdminController, Id, Perform } from '../route.decorators.js';
import { type SessionView, sessionView } from './session.dto.js';
import { AcceptInvitationDto, type ShownInvitationView, shownInvitationView } from './invitation.dto.js';

/** What whoever has the link of an invitation sees and does. */
@AdminController('invitations/:token')
export class InvitationsController {
  constructor(private readonly invitations: InvitationsService) {}

  /**
   * Shows what an invitation is for.
   * @returns the invitation
   * @throws ApiError 404 not_found, 429 rate_limit_exceeded
   */
  @Public()
  @Get()
  async show(@Id('token') token: string, @CurrentVisit() visit: Visit): Promise<ShownInvitationView> {
    return shownInvitationView(await this.invitations.show(visit, token));
  }

  /**
   * Accepts an invitation, and signs in. Somebody new gives a name and a password. Somebody who signs in with this
   * address already must be signed in, or give their password.
   * @returns who is signed in
   * @throws ApiError 401 invalid_credentials, 403 permission_denied, 404 not_found, 409 conflict, 429 rate_limit_exceeded
   */
  @Public()
  @Perform('accept')
  async accept(@Id('token') token: string, @Body() body: AcceptInvitationDto, @CurrentVisit() visit: Visit): Promise<SessionView> {
    return sessionView(await this.invitations.accept(visit, token, body));
  }
}
