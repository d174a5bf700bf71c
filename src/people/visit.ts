import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request of somebody who signs in or is signed in, and its response, which may set a cookie. */
export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Injects the visit into a handler, which hands it on. */
export const CurrentVisit = createParamDecorator((_data: unknown, execution: ExecutionContext): Visit => {
  const [request, reply] = execution.getArgs<[FastifyRequest, FastifyReply]>();
  return { request, reply };
});
