import { type CanActivate, type ExecutionContext, Injectable, Optional } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../common/api-error.js';
import { ClientAddresses } from '../../http/requests/client-addresses.js';
import { isPublic } from '../../http/requests/public.decorator.js';
import { AdminAuthenticator } from '../../http/server/request-authenticator.js';
import { AdminTokenService } from './admin-token.service.js';
import { NO_ACCOUNT, roles } from './administrator.js';
import { noAccount } from './no-account.js';
import { SessionAuthenticator } from './session-authenticator.js';

/** The place among the open requests that all operators' tokens share. */
const OPERATORS = 'operators';

/**
 * Requires a token or a session on every route of the administration API that is not public, and a role that `@Roles`
 * names. The request gate calls it before the body is read, and Nest again after the body has been parsed.
 */
@Injectable()
export class AdminGuard extends AdminAuthenticator implements CanActivate {
  constructor(
    private readonly tokens: AdminTokenService,
    private readonly clients: ClientAddresses,
    @Optional() private readonly sessions?: SessionAuthenticator,
  ) {
    super();
  }

  canActivate(context: ExecutionContext): boolean {
    const [request] = context.getArgs<[FastifyRequest]>();
    if (isPublic(request)) return true;
    if (!request.administrator) this.authenticate(request);
    this.authorize(request);
    return true;
  }

  /**
   * A token counts before a session.
   * @throws ApiError 401 missing_api_key, invalid_api_key, expired_api_key or invalid_session, 403 permission_denied
   */
  override authenticate(request: FastifyRequest): string {
    const { authorization } = request.headers;
    const person = authorization === undefined ? this.sessions?.authenticate(request) : undefined;
    request.administrator = person ?? this.tokens.authenticate(authorization);
    request.clientAddress = this.clients.of(request);
    return person?.id ?? request.administrator.accountId ?? OPERATORS;
  }

  override whoAsks({ administrator }: FastifyRequest): string {
    return `${administrator!.kind} ${administrator!.id}`;
  }

  /**
   * A member learns nothing of other accounts, not even whether there is one.
   * @throws ApiError 404 not_found for an account that is not the member's, 403 permission_denied
   */
  override authorize(request: FastifyRequest): void {
    const { kind, role, accountId } = request.administrator!;
    const { account } = request.params as { readonly account?: string };
    if (accountId !== undefined && account !== undefined && account !== accountId) throw noAccount(account);
    const { roles: named = [], aboutItself } = request.routeOptions.config;
    if (aboutItself === 'people' && kind === 'token') throw new ApiError('permission_denied', 'This takes a session, and no token.');
    const forMembers = account !== undefined || aboutItself !== undefined;
    if (named.includes(role) && (accountId === undefined || forMembers)) return;
    const allowed = roles.filter((one) => named.includes(one) && (one === 'operator' || forMembers));
    const whose = allowed.length > 0 ? ` It takes the role ${allowed.join(', ')}.` : '';
    // Outside of their accounts people have no role.
    const who = accountId === NO_ACCOUNT ? 'A member of accounts' : `The role ${role}`;
    throw new ApiError('permission_denied', `${who} may not do this.${whose}`);
  }

  /** @throws ApiError 403 permission_denied */
  override welcome(request: FastifyRequest): string {
    this.sessions?.requireOwnOrigin(request);
    return (request.clientAddress = this.clients.of(request)) ?? '';
  }
}
