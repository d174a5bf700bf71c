import { Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Shutdown } from '../../common/shutdown.js';
import { ConfigService } from '../../config/config.service.js';
import type { ErrorCode } from '../../wire/error.js';
import { discardBody } from '../server/discard-body.js';
import { type ErrorEnvelope, toErrorEnvelope } from './error-envelope.js';
import type { EventStream } from './event-stream.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The code in the client's error envelope, for the log. */
    errorCode?: ErrorCode;
    /** The open event stream, once its head has been written. */
    eventStream?: EventStream;
  }
}

/** Response headers that are kept for an internal error; any other header may be what could not be sent. */
const kept = new Set(['x-request-id', 'connection']);

/** Writes error responses, for the interceptor and for the filter. */
@Injectable()
export class ErrorWriter {
  readonly #logger = new Logger('Errors');

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: ConfigService,
    private readonly shutdown: Shutdown,
  ) {}

  /** Before the head is sent, the envelope is the response; within an event stream it is the last event. */
  write(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const envelope = toErrorEnvelope(error);
    request.errorCode = envelope.body.error.code;
    if (envelope.status === 500) this.#logger.error({ id: request.id, err: error });
    if (request.eventStream) request.eventStream.fail(envelope.body);
    else if (!reply.raw.headersSent) this.#respond(envelope, request, reply);
    else if (!reply.raw.writableEnded) reply.raw.destroy();
  }

  #respond({ status, body, headers }: ErrorEnvelope, request: FastifyRequest, reply: FastifyReply): void {
    const adapter = this.host.httpAdapter;
    // Fastify closes the connection after every refused body. A client that is still sending would be reset before it
    // has read the reason.
    if (!this.shutdown.draining && reply.getHeader('connection') === 'close') reply.removeHeader('connection');
    if (status === 500) for (const name of Object.keys(reply.getHeaders())) if (!kept.has(name)) reply.removeHeader(name);
    discardBody(request.raw, 2 * this.config.current.server.body_limit);
    for (const [name, value] of Object.entries(headers)) adapter.setHeader(reply, name, value);
    adapter.setHeader(reply, 'content-type', 'application/json; charset=utf-8');
    if (reply.sent) writeHijacked(reply, status, JSON.stringify(body));
    else adapter.reply(reply, body, status);
  }
}

/** Fastify sends nothing for a hijacked reply. */
function writeHijacked(reply: FastifyReply, status: number, json: string): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(status, { 'content-length': Buffer.byteLength(json) }).end(json);
}
