import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Deed } from '../../observability/audit/audit-log.js';

/** Injects who does what by this request, for the line of the audit log that the change writes. */
export const CurrentDeed = createParamDecorator((_data: unknown, execution: ExecutionContext): Deed =>
  deedOf(execution.getArgs<[FastifyRequest]>()[0]),
);

export function deedOf(request: FastifyRequest): Deed {
  const { tokenId, role } = request.administrator!;
  return {
    actor: tokenId,
    actorKind: 'token',
    role,
    action: `${request.method} ${request.routeOptions.url}`,
    requestId: request.id,
    address: request.clientAddress,
  };
}
