import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientAddress } from '../config/client-address.js';
import type { Config } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
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

/** Where the configuration says that the pages are; undefined where it does not. */
export function knownOrigin({ dashboard, server }: Config): string | undefined {
  const url = dashboard.public_url ?? (server.admin_port === undefined ? server.public_url : undefined);
  return url?.replace(/\/+$/, '');
}

/** As far as it can be known without a request: for the command line. */
export function likelyOrigin(config: Config): string {
  const { host, port, admin_port } = config.server;
  return knownOrigin(config) ?? clientAddress({ host, port: admin_port ?? port }).replace(/\/v1$/, '');
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
