import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route needs no API key. */
    public?: boolean;
  }
}

/** Marks a route that needs no API key. All others need one. */
export const Public = (): MethodDecorator & ClassDecorator => RouteConfig({ public: true });

export function isPublic(request: FastifyRequest): boolean {
  return request.routeOptions.config.public === true;
}
