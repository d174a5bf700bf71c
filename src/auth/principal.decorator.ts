import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** Injects the principal, which the guard has put on the request, into a handler. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, execution: ExecutionContext) => execution.getArgs<[FastifyRequest]>()[0].principal,
);
