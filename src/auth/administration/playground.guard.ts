import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { unlessAway } from '../../database/store-error.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { AccountStore } from '../account-store.js';
import { PlaygroundKeys } from '../playground-keys.js';
import { noAccount } from './no-account.js';
import { deedOf } from './deed.decorator.js';

/**
 * Puts the principal on a request of the administration that generates: whoever asks, at the account of the address.
 * The rules of the account hold as for its keys. AdminGuard comes before it.
 */
@Injectable()
export class PlaygroundGuard implements CanActivate {
  constructor(
    private readonly accounts: AccountStore,
    private readonly keys: PlaygroundKeys,
    private readonly rules: ApiKeyGuard,
  ) {}

  /**
   * @throws ApiError 404 not_found for an account that is not there, 403 permission_denied, 503 service_unavailable where
   * the store is away
   */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const [request] = context.getArgs<[FastifyRequest]>();
    const { account } = request.params as { readonly account: string };
    const { environment } = request.query as { readonly environment?: unknown };
    const principal = await unlessAway(async () => {
      if (!(await this.accounts.withId(account))) throw noAccount(account);
      // What is neither is refused by the DTO of the query.
      return this.keys.principal(account, environment === 'test' ? 'test' : 'live', deedOf(request));
    });
    request.principal = principal;
    if (principal.rules) this.rules.restrict(request, principal.rules);
    return true;
  }
}
