import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { requestContextOf } from './request-context.js';

/** Injects the RequestContext of the request into a handler. */
export const Context = createParamDecorator((_data: unknown, execution: ExecutionContext) =>
  requestContextOf(execution.getArgs<[FastifyRequest]>()[0]),
);
