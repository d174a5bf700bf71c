import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ApiError } from '../common/api-error.js';
import { isPublic } from '../http/requests/public.decorator.js';

/** Rejects a query string where a route reads none: nobody is to believe that `?dry_run=true` was heeded. */
@Injectable()
export class NoQueryGuard implements CanActivate {
  /** @throws ApiError 400 invalid_request */
  canActivate(context: ExecutionContext): boolean {
    const [request] = context.getArgs<Parameters<typeof isPublic>>();
    const [name] = Object.keys(request.query as object);
    if (name === undefined || isPublic(request)) return true;
    const args = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) as object | undefined;
    if (Object.keys(args ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`))) return true;
    throw new ApiError('invalid_request', `property ${name} should not exist`);
  }
}
