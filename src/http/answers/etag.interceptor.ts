import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Observable, tap } from 'rxjs';

/** Answers an object that has a `version` with it as its ETag (RFC 9110, section 8.8.3), which If-Match then names. */
@Injectable()
export class EtagInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      tap((value: unknown) => {
        const version = typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
        if (typeof version === 'string') void context.switchToHttp().getResponse<FastifyReply>().header('etag', `"${version}"`);
      }),
    );
  }
}
