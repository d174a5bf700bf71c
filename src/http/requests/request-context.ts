import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { GenerationRecord } from '../../common/generation-record.js';
import { Backpressure } from '../answers/backpressure.js';

/** One HTTP exchange as the services below the controllers see it. */
export class Exchange {
  readonly flow = new Backpressure();

  /** Filled by the generation, read when the request has ended. */
  record: GenerationRecord | undefined;

  /** Sent with the response's head: set them before the first value is emitted. ASCII only. */
  readonly responseHeaders: Record<string, string>;

  /** @param requestId UUIDv7 made by the gateway */
  constructor(
    readonly requestId: string,
    readonly requestHeaders: IncomingHttpHeaders = {},
    /** As it was parsed, before any validation. */
    readonly requestBody?: unknown,
  ) {
    this.responseHeaders = { 'x-request-id': requestId };
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange?: Exchange;
  }
}

export function exchangeOf(request: FastifyRequest): Exchange {
  return (request.exchange ??= new Exchange(request.id, request.headers, request.body));
}
