import { Get, HttpCode, Query } from '@nestjs/common';
import { Public } from '../../http/requests/public.decorator.js';
import { OidcService } from '../../people/oidc/oidc.service.js';
import { CurrentVisit, type Visit } from '../../people/visit.js';
import { AdminController, Id } from '../route.decorators.js';
import { IsText, MayBeAbsent } from '../fields.js';

export class StartOidcDto {
  /** Where the browser goes afterwards: an address of the dashboard. Others are not heeded. */
  @MayBeAbsent(IsText(2_000))
  next?: string;
}

/** Signing in by OpenID Connect. A browser is sent to these addresses; a page does not fetch them. */
@AdminController('session/oidc/:provider')
export class OidcController {
  constructor(private readonly oidc: OidcService) {}

  /**
   * Sends the browser to a provider of OpenID Connect, where somebody signs in.
   * @throws ApiError 404 not_found, 502 upstream_error
   */
  @Public()
  @Get('start')
  @HttpCode(302)
  async start(@Id('provider') provider: string, @Query() { next }: StartOidcDto, @CurrentVisit() visit: Visit): Promise<void> {
    await this.oidc.start(visit, provider, next);
  }

  /**
   * Takes the browser back from a provider. Who is known there by the identity, or by an address that the provider has
   * verified, is signed in; whoever is not goes back to the page of sign-in.
   */
  @Public()
  @Get('callback')
  @HttpCode(302)
  async callback(@Id('provider') provider: string, @CurrentVisit() visit: Visit): Promise<void> {
    await this.oidc.callback(visit, provider);
  }
}
