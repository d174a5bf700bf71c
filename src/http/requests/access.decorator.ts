import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ModelAccess } from '../../common/access/model-access.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the check of the key; absent where the key may use all models of all providers. */
    access?: ModelAccess | undefined;
  }
}

/** Injects the models and providers to which the client is restricted, into a handler. */
export const Access = createParamDecorator(
  (_data: unknown, execution: ExecutionContext) => execution.getArgs<[FastifyRequest]>()[0].access,
);
