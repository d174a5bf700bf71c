import { Get } from '@nestjs/common';
import { Public } from '../../http/requests/public.decorator.js';
import { OidcService } from '../../people/oidc/oidc.service.js';
import { SessionsService } from '../../people/sessions/sessions.service.js';
import { LinkRequests } from '../../people/sign-in/link-requests.js';
import { AdminController } from '../route.decorators.js';
import type { SignInOptionsView } from './session.dto.js';

@AdminController('sign-in-options')
export class SignInOptionsController {
  constructor(
    private readonly sessions: SessionsService,
    private readonly oidc: OidcService,
    private readonly linkRequests: LinkRequests,
  ) {}

  /**
   * Shows how people can sign in.
   * @returns the ways
   */
  @Public()
  @Get()
  options(): SignInOptionsView {
    return {
      password: true,
      oidc: this.oidc.providers.map(({ id, label }) => ({ id, label })),
      link_by_mail: this.linkRequests.areTaken,
      has_people: this.sessions.hasPeople,
    };
  }
}
