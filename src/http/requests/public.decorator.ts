import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered without an API key. */
    public?: boolean;
  }
}

/** A route that needs no API key. Every other one does. */
export const Public = (): MethodDecorator & ClassDecorator => RouteConfig({ public: true });

export function isPublic(request: FastifyRequest): boolean {
  return request.routeOptions.config.public === true;
}
