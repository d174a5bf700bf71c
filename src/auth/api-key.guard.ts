import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isPublic } from '../http/requests/public.decorator.js';
import { RequestAuthenticator } from '../http/server/request-authenticator.js';
import { ApiKeyService } from './api-key.service.js';

/**
 * Requires an API key on every route that is not marked @Public. The request gate calls it before the body is read, and
 * Nest again after the body has been parsed.
 */
@Injectable()
export class ApiKeyGuard extends RequestAuthenticator implements CanActivate {
  constructor(private readonly apiKeys: ApiKeyService) {
    super();
  }

  canActivate(context: ExecutionContext): boolean {
    const [request] = context.getArgs<[FastifyRequest]>();
    if (!request.principal && !isPublic(request)) this.authenticate(request);
    return true;
  }

  /** @throws ApiError 401 missing_api_key, invalid_api_key or expired_api_key */
  override authenticate(request: FastifyRequest): string {
    request.principal = this.apiKeys.authenticate(request.headers.authorization);
    return request.principal.accountId;
  }
}
