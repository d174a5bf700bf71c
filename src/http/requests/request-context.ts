import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { GenerationRecord } from '../../common/generation-record.js';
import { Backpressure } from '../answers/backpressure.js';

/** One HTTP request as the services below the controllers see it. */
export class RequestContext {
  /** Paused while the client does not keep up with its answer. */
  readonly flow = new Backpressure();

  /** Filled in by the generation. The response's headers, logs, metrics and request history are made from it. */
  record: GenerationRecord | undefined;

  constructor(
    /** A UUIDv7 made by the gateway. */
    readonly requestId: string,
    readonly headers: IncomingHttpHeaders = {},
    /** As it was parsed, before any validation. */
    readonly body?: unknown,
  ) {}
}

declare module 'fastify' {
  interface FastifyRequest {
    requestContext?: RequestContext;
  }
}

export function requestContextOf(request: FastifyRequest): RequestContext {
  return (request.requestContext ??= new RequestContext(request.id, request.headers, request.body));
}
