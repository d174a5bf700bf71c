import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ErrorWriter } from './error-writer.js';

/**
 * Answers with the error envelope where no interceptor runs: for errors of guards, of the request gate and of the body
 * parser.
 */
@Catch()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  constructor(private readonly errors: ErrorWriter) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.errors.write(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}
