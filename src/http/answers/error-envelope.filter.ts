import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConfigService } from '../../config/config.service.js';
import type { ErrorCode } from '../../wire/error.js';
import { discardBody } from '../server/discard-body.js';
import { toErrorEnvelope } from './error-envelope.js';
import { Shutdown } from '../../common/shutdown.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the client was told, for the log. */
    errorCode?: ErrorCode;
  }
}

/** Response headers that say nothing of the answer that failed. */
const kept = new Set(['x-request-id', 'connection']);

/** Writes the envelope for whatever guards, parsers, routes and handlers throw; interceptors never see most of it. */
@Catch()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  readonly #logger = new Logger('Errors');

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly config: ConfigService,
    private readonly shutdown: Shutdown,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** For what fails after its handler has returned. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const adapter = this.host.httpAdapter;
    const { status, body, headers } = toErrorEnvelope(error);
    request.errorCode = body.error.code;
    if (status === 500) this.#logger.error({ id: request.id, err: error });
    if (reply.raw.headersSent) {
      if (!reply.raw.writableEnded) reply.raw.destroy();
      return;
    }
    // Fastify closes the connection after every refused body. A client in the middle of sending would be reset before it has read why.
    if (!this.shutdown.draining && reply.getHeader('connection') === 'close') reply.removeHeader('connection');
    // A header may be what could not be sent; failing again here would be nobody's to catch.
    if (status === 500) for (const name of Object.keys(reply.getHeaders())) if (!kept.has(name)) reply.removeHeader(name);
    discardBody(request.raw, 2 * this.config.current.server.body_limit);
    for (const [name, value] of Object.entries(headers)) adapter.setHeader(reply, name, value);
    adapter.setHeader(reply, 'content-type', 'application/json; charset=utf-8');
    if (reply.sent) writePast(reply, status, JSON.stringify(body));
    else adapter.reply(reply, body, status);
  }
}

/** Fastify sends nothing for a reply that was taken out of its hands. */
function writePast(reply: FastifyReply, status: number, json: string): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(status, { 'content-length': Buffer.byteLength(json) }).end(json);
}
