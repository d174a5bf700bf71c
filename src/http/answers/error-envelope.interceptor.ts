import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, type Observable, of } from 'rxjs';
import { ErrorWriter } from './error-writer.js';
import { addRateLimitHeaders } from './rate-limit-headers.js';

/**
 * Answers with the error envelope whatever a handler, its pipes or its Observable throws. On the generation routes
 * AnswerInterceptor does, by the same ErrorWriter.
 */
@Injectable()
export class ErrorEnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly errors: ErrorWriter) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const [request, reply] = context.getArgs<[FastifyRequest, FastifyReply]>();
    const rateLimits = request.requestContext?.rateLimits;
    if (rateLimits) {
      const headers = {};
      addRateLimitHeaders(headers, rateLimits);
      reply.headers(headers);
    }
    return next.handle().pipe(
      catchError((error: unknown) => {
        this.errors.write(error, request, reply);
        return of(undefined);
      }),
    );
  }
}
