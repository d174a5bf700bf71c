import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Database } from '../database/database.js';
import { isPublic } from '../http/requests/public.decorator.js';

/**
 * Has what only reads done by the connections for that. Public routes sign people in: they are not for somebody's page.
 */
@Injectable()
export class ReadingInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const [request] = context.getArgs<Parameters<typeof isPublic>>();
    const reads = /^(GET|HEAD)$/.test(request.method) && !isPublic(request);
    return reads ? this.database.reading(() => next.handle()) : next.handle();
  }
}
