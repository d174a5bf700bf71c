import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation to which keys may be restricted. */
    operation?: string;
  }
}

/** Says which operation a route is. What a decorator below it says of the route stays as it is. */
export const Operation =
  (operation: string): MethodDecorator =>
  (target, property, descriptor) => {
    const said = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as FastifyContextConfig | undefined;
    return RouteConfig({ ...said, operation })(target, property, descriptor);
  };

/** @returns undefined where the request has no route, or one of no operation */
export function operationOf(request: FastifyRequest): string | undefined {
  return request.routeOptions.config?.operation;
}
