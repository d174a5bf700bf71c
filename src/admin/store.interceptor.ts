import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { catchError, concatAll, from, type Observable } from 'rxjs';
import { AccountStore } from '../auth/account-store.js';
import { noAccount } from '../auth/administration/no-account.js';
import { ApiError } from '../common/api-error.js';
import { askedBy } from '../database/askers-queue.js';
import { Database } from '../database/database.js';
import { TakenError, unlessAway } from '../database/store-error.js';
import { isPublic } from '../http/requests/public.decorator.js';

/**
 * Has what only reads done by the connections for that: public routes, which sign people in, are not for somebody's
 * page. An account in the address that there is not is answered with 404. A store's RangeError becomes 400
 * invalid_request, its TakenError 409 conflict, and a store that is away 503.
 */
@Injectable()
export class StoreInterceptor implements NestInterceptor {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStore,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const [request] = context.getArgs<Parameters<typeof isPublic>>();
    const { account } = request.params as { readonly account?: string };
    const reads = /^(GET|HEAD)$/.test(request.method) && !isPublic(request);
    const who = request.asker ?? request.stranger ?? request.account!;
    const handle = async () => {
      if (account !== undefined) {
        requireReadable(account);
        if (!(await this.accounts.withId(account))) throw noAccount(account);
      }
      return next.handle();
    };
    const answer = askedBy(who, () => (reads ? this.database.reading(handle) : handle()));
    return from(answer).pipe(
      concatAll(),
      catchError((thrown: unknown) => unlessAway(() => Promise.reject(answerTo(thrown)))),
    );
  }
}

/** @throws ApiError 404 not_found for an id of the address that no row can have: no store is asked for it */
export function requireReadable(id: string): void {
  if (id.length > 256 || id.includes('\0')) throw new ApiError('not_found', 'There is nothing with this id.');
}

function answerTo(error: unknown): Error {
  if (error instanceof RangeError) return new ApiError('invalid_request', error.message, {}, { cause: error });
  if (!(error instanceof TakenError)) return error as Error;
  const { message } = error;
  return new ApiError('conflict', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, {}, { cause: error });
}
