import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation to which keys may be restricted. */
    operation?: string;
  }
}

/** Says which operation a route is. */
export const Operation = (operation: string): MethodDecorator => RouteConfig({ operation });

/** @returns undefined where the request has no route, or one of no operation */
export function operationOf(request: FastifyRequest): string | undefined {
  return request.routeOptions.config?.operation;
}
