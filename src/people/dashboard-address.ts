import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ConfigService } from '../config/config.service.js';
import { knownOrigin } from '../config/dashboard-origin.js';
import { Cookies } from './sessions/cookies.js';

/** Where the pages are, for links to them. */
@Injectable()
export class DashboardAddress {
  constructor(
    private readonly config: ConfigService,
    private readonly cookies: Cookies,
  ) {}

  /** @param request of somebody who is signed in, and so has used this address */
  signIn(request: FastifyRequest, token: string): string {
    return signInPage(this.#origin(request), token);
  }

  /** As signIn. */
  invitation(request: FastifyRequest, token: string): string {
    return invitationPage(this.#origin(request), token);
  }

  /** Where a provider of OpenID Connect sends the browser back to, which must be known there. */
  oidcCallback(request: FastifyRequest, provider: string): string {
    return `${this.#origin(request)}/admin/v1/session/oidc/${provider}/callback`;
  }

  #origin(request: FastifyRequest): string {
    return knownOrigin(this.config.current) ?? `${this.cookies.isSecure(request) ? 'https' : 'http'}://${request.headers.host}`;
  }
}

export function signInPage(origin: string, token: string): string {
  return `${origin}/dashboard/sign-in?link=${token}`;
}

export function creditsPage(origin: string, accountId: string): string {
  return `${origin}/dashboard/accounts/${encodeURIComponent(accountId)}/credits`;
}

export function invitationPage(origin: string, token: string): string {
  return `${origin}/dashboard/invitations/${token}`;
}
