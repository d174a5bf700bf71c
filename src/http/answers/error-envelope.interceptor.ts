import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, type Observable, of } from 'rxjs';
import { ErrorWriter } from './error-writer.js';

/**
 * Answers with the error envelope whatever a handler, its pipes or its Observable throws. On the generation routes
 * AnswerInterceptor does, by the same ErrorWriter.
 */
@Injectable()
export class ErrorEnvelopeInterceptor implements NestInterceptor {
  constructor(private readonly errors: ErrorWriter) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError((error: unknown) => {
        const http = context.switchToHttp();
        this.errors.write(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
        return of(undefined);
      }),
    );
  }
}
