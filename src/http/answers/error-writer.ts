import type { OutgoingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Shutdown } from '../../common/shutdown.js';
import { ConfigService } from '../../config/config.service.js';
import type { ErrorBody } from '../../wire/error.js';
import { ClientFormats } from '../requests/client-formats.js';
import { discardBody } from '../server/discard-body.js';
import { type ErrorEnvelope, toErrorEnvelope } from '../requests/error-envelope.js';
import type { EventStream } from './event-stream.js';
import { addRateLimitHeaders } from './rate-limit-headers.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the client's error envelope has, for log and record. */
    answeredError?: ErrorBody['error'];
    /** The open event stream, once its head has been written. */
    eventStream?: EventStream;
  }
}

/** Response headers that are kept for an internal error; any other header may be what could not be sent. */
const kept = new Set([
  'x-request-id',
  'connection',
  'vary',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'x-content-type-options',
]);

const NOT_KEPT = 'The provider has rejected the request. Its own words are kept under observability.store_text alone.';

/** Writes error responses, for the interceptors and for the filter. */
@Injectable()
export class ErrorWriter {
  readonly #logger = new Logger('Errors');

  constructor(
    private readonly config: ConfigService,
    private readonly shutdown: Shutdown,
    private readonly formats: ClientFormats,
  ) {}

  /** Before the head is sent, the envelope is the response; within an event stream it is the last event. */
  write(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const envelope = toErrorEnvelope(error);
    request.answeredError = this.#recorded(error, envelope.body.error);
    if (envelope.status === 500) this.#logger.error({ id: request.id, err: error });
    if (request.eventStream) request.eventStream.fail(envelope.body, envelope.headers);
    else if (!reply.raw.headersSent) this.#respond(envelope, request, reply);
    else if (!reply.raw.writableEnded) reply.raw.destroy();
  }

  /** The vendor's words may quote the request, which is kept under `observability.store_text` alone. */
  #recorded(error: unknown, answered: ErrorBody['error']): ErrorBody['error'] {
    const { cause } = Object(error) as { cause?: { message?: string; quotes?: boolean } };
    const quotes = cause?.quotes === true && cause.message === answered.message;
    return quotes && !this.config.current.observability.store_text ? { ...answered, message: NOT_KEPT } : answered;
  }

  #respond({ status, body, headers: advice }: ErrorEnvelope, request: FastifyRequest, reply: FastifyReply): void {
    const headers = reply.getHeaders() as OutgoingHttpHeaders;
    // Fastify closes the connection after every refused body. A client that is still sending would be reset before it
    // has read the reason.
    if (!this.shutdown.draining) delete headers['connection'];
    if (status === 500) for (const name of Object.keys(headers)) if (!kept.has(name)) delete headers[name];
    // Another one may be that of a file that may be kept.
    if (request.administration) headers['cache-control'] = 'no-store';
    discardBody(request.raw, 2 * this.config.current.server.body_limit);
    const json = JSON.stringify(this.formats.error(request, body, status));
    const idHeader = this.formats.idHeader(request);
    if (idHeader) headers[idHeader] = request.id;
    const rateLimits = request.requestContext?.rateLimits;
    if (rateLimits) addRateLimitHeaders(headers, rateLimits);
    Object.assign(headers, advice, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(json),
    });
    reply.hijack();
    reply.raw.writeHead(status, headers).end(json);
  }
}
