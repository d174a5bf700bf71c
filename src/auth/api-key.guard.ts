import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isPublic } from '../http/requests/public.decorator.js';
import { ApiKeyService } from './api-key.service.js';

/** Every route needs a key unless it says @Public. The check itself usually ran already, before the body was parsed. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly apiKeys: ApiKeyService) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isPublic(request)) request.principal ??= this.apiKeys.authenticate(request.headers.authorization);
    return true;
  }
}
