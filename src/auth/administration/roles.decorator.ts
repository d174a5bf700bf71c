import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { type AdminRole, roles as all } from './administrator.js';

/**
 * Says who may use a route of the administration API; one without it is refused. Members are let to routes with
 * `:account` in their address alone, and there to their own account.
 */
export const Roles = (...roles: readonly [AdminRole, ...AdminRole[]]): MethodDecorator => RouteConfig({ roles });

/** Marks a route that tells every token and every person about themselves, and nothing else. */
export const AboutItself = (): MethodDecorator => RouteConfig({ roles: all, aboutItself: 'anybody' });

/**
 * Marks a route that is about the person who is signed in, and nobody else; tokens are refused.
 * @param roles who may use it; none: everybody
 */
export const OwnSession = (...roles: readonly AdminRole[]): MethodDecorator =>
  RouteConfig({ roles: roles.length > 0 ? roles : all, aboutItself: 'people' });

/** Injects the Administrator, whom the guard has put on the request, into a handler. */
export const CurrentAdministrator = createParamDecorator(
  (_data: unknown, execution: ExecutionContext) => execution.getArgs<[FastifyRequest]>()[0].administrator,
);
