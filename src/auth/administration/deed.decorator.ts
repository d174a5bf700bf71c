import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Deed } from '../../observability/audit/audit-log.js';
import { type Administrator, NO_ACCOUNT } from './administrator.js';

/** Injects who does what by this request, for the line of the audit log that the change writes. */
export const CurrentDeed = createParamDecorator((_data: unknown, execution: ExecutionContext): Deed =>
  deedOf(execution.getArgs<[FastifyRequest]>()[0]),
);

export function deedOf(request: FastifyRequest): Deed {
  const { kind, id, role, accountId } = request.administrator!;
  return deedBy({ kind, id, role: accountId === NO_ACCOUNT ? undefined : role }, request);
}

/** @param by who has signed in by this request */
export function deedBy(by: Pick<Administrator, 'kind' | 'id'> & { readonly role?: string | undefined }, request: FastifyRequest): Deed {
  return { ...deedOfNobody(request), actor: by.id, actorKind: by.kind, role: by.role };
}

/** What a request does by which nobody signs in. */
export function deedOfNobody(request: FastifyRequest): Deed {
  return {
    actor: '',
    actorKind: 'nobody',
    action: `${request.method} ${request.routeOptions.url}`,
    requestId: request.id,
    address: request.clientAddress,
  };
}
