import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/api-error.js';
import { ClientAddresses } from '../../http/requests/client-addresses.js';
import { AdminAuthenticator } from '../../http/server/request-authenticator.js';
import { AdminTokenService } from './admin-token.service.js';
import { roles } from './administrator.js';

/** The place among the open requests that all operators share. */
const OPERATORS = 'operators';

/**
 * Requires a token on every route of the administration API, and a role that `@Roles` names. The request gate calls it
 * before the body is read, and Nest again after the body has been parsed.
 */
@Injectable()
export class AdminGuard extends AdminAuthenticator implements CanActivate {
  constructor(
    private readonly tokens: AdminTokenService,
    private readonly clients: ClientAddresses,
  ) {
    super();
  }

  canActivate(context: ExecutionContext): boolean {
    const [request] = context.getArgs<[FastifyRequest]>();
    if (!request.administrator) this.authenticate(request);
    this.authorize(request);
    return true;
  }

  /** @throws ApiError 401 missing_api_key, invalid_api_key or expired_api_key */
  override authenticate(request: FastifyRequest): string {
    request.administrator = this.tokens.authenticate(request.headers.authorization);
    request.clientAddress = this.clients.of(request);
    return request.administrator.accountId ?? OPERATORS;
  }

  /**
   * A member learns nothing of other accounts, not even whether there is one.
   * @throws ApiError 404 not_found for an account that is not the member's, 403 permission_denied
   */
  override authorize(request: FastifyRequest): void {
    const { role, accountId } = request.administrator!;
    const { account } = request.params as { readonly account?: string };
    if (accountId !== undefined && account !== undefined && account !== accountId) throw noAccount(account);
    const { roles: allowed, aboutItself } = request.routeOptions.config;
    if (allowed?.includes(role) && (accountId === undefined || account !== undefined || aboutItself)) return;
    const whose = allowed ? ` It takes a token of the role ${roles.filter((one) => allowed.includes(one)).join(', ')}.` : '';
    throw new ApiError('permission_denied', `The role ${role} may not do this.${whose}`);
  }
}

export function noAccount(id: string): ApiError {
  return new ApiError('not_found', `There is no account '${id.slice(0, 200)}'.`);
}
