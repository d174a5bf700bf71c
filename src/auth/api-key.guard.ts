import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../common/api-error.js';
import { ClientAddresses } from '../http/requests/client-addresses.js';
import { ClientFormats } from '../http/requests/client-formats.js';
import { operationOf } from '../http/requests/operation.decorator.js';
import { isPublic } from '../http/requests/public.decorator.js';
import { RequestAuthenticator } from '../http/server/request-authenticator.js';
import './administration/administrator.js';
import { ApiKeyService } from './api-key.service.js';
import { accessOf, type PrincipalRules } from './rules/principal-rules.js';

/**
 * Requires an API key on every route that is not marked @Public and not of the administration API. The request gate
 * calls it before the body is read, and Nest again after the body has been parsed.
 */
@Injectable()
export class ApiKeyGuard extends RequestAuthenticator implements CanActivate {
  constructor(
    private readonly apiKeys: ApiKeyService,
    private readonly clients: ClientAddresses,
    private readonly formats: ClientFormats,
  ) {
    super();
  }

  canActivate(context: ExecutionContext): boolean {
    const [request] = context.getArgs<[FastifyRequest]>();
    if (!request.principal && !request.administrator && !isPublic(request)) this.authenticate(request);
    return true;
  }

  /**
   * @throws ApiError 401 missing_api_key, invalid_api_key or expired_api_key, and 403 permission_denied where the key
   * may not be used from the client's address or for the operation
   */
  override authenticate(request: FastifyRequest): string {
    const principal = this.apiKeys.authenticate(this.formats.authorization(request));
    request.principal = principal;
    request.access = accessOf(principal.environment, principal.rules);
    if (principal.rules) this.restrict(request, principal.rules);
    return principal.accountId;
  }

  /** @throws ApiError 403 permission_denied for an address or an operation that the rules do not allow */
  restrict(request: FastifyRequest, { allowsAddress, operations }: PrincipalRules): void {
    if (allowsAddress && !allowsAddress(this.clients.of(request) ?? ''))
      throw new ApiError('permission_denied', 'The API key may not be used from this address');
    const operation = operationOf(request);
    if (operations && operation !== undefined && !operations.has(operation))
      throw new ApiError('permission_denied', `The API key may not be used for the operation '${operation}'`);
  }
}
