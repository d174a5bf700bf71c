import { RouteConfig } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { KeyOperation, OperationName } from '../../wire/operations.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation to which keys may be restricted. */
    operation?: KeyOperation;
    /** It counts against limits by itself, once it is known what it can use. */
    generates?: boolean;
  }
}

/** Says which operation a route is. What a decorator below it says of the route stays as it is. */
export const Operation =
  (operation: KeyOperation, more: Pick<FastifyContextConfig, 'generates'> = {}): MethodDecorator =>
  (target, property, descriptor) => {
    const said = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, descriptor.value as object) as FastifyContextConfig | undefined;
    return RouteConfig({ ...said, ...more, operation })(target, property, descriptor);
  };

/** Says of which operation a route is one that generates. */
export const Generation = (operation: OperationName): MethodDecorator => Operation(operation, { generates: true });

/** @returns undefined where the request has no route, or one of no operation */
export function operationOf(request: FastifyRequest): KeyOperation | undefined {
  return request.routeOptions.config?.operation;
}

export function generates(request: FastifyRequest): boolean {
  return request.routeOptions.config.generates === true;
}
