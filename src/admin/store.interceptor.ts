import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError, type Observable } from 'rxjs';
import { ApiError } from '../common/api-error.js';
import { askedBy } from '../database/askers-queue.js';
import { Database } from '../database/database.js';
import { TakenError, unlessAway } from '../database/store-error.js';
import { isPublic } from '../http/requests/public.decorator.js';

/**
 * Has what only reads done by the connections for that: public routes, which sign people in, are not for somebody's
 * page. A store's RangeError becomes 400 invalid_request, its TakenError 409 conflict, and a store that is away 503.
 */
@Injectable()
export class StoreInterceptor implements NestInterceptor {
  constructor(private readonly database: Database) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const [request] = context.getArgs<Parameters<typeof isPublic>>();
    const reads = /^(GET|HEAD)$/.test(request.method) && !isPublic(request);
    const who = request.asker ?? request.stranger ?? request.account!;
    const answer = askedBy(who, () => (reads ? this.database.reading(() => next.handle()) : next.handle()));
    return answer.pipe(catchError((thrown: unknown) => unlessAway(() => Promise.reject(answerTo(thrown)))));
  }
}

function answerTo(error: unknown): Error {
  if (error instanceof RangeError) return new ApiError('invalid_request', error.message, {}, { cause: error });
  if (!(error instanceof TakenError)) return error as Error;
  const { message } = error;
  return new ApiError('conflict', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, {}, { cause: error });
}
