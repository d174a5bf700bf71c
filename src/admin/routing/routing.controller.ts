import { Body } from '@nestjs/common';
import { ApiKeyService } from '../../auth/api-key.service.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Principal } from '../../auth/principal.js';
import { combineRules } from '../../auth/rules/principal-rules.js';
import { chatRequest } from '../../chat/chat-completion.mapping.js';
import { CreateChatCompletionDto } from '../../chat/create-chat-completion.dto.js';
import { ApiError } from '../../common/api-error.js';
import { Context } from '../../http/requests/context.decorator.js';
import type { RequestContext } from '../../http/requests/request-context.js';
import { WireValidationPipe } from '../../http/requests/wire-validation.pipe.js';
import { RoutingTryout } from '../../inference/routing-tryout.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { AdminController, Perform } from '../route.decorators.js';
import { found } from '../preconditions.js';
import { TryoutDto, type TryoutView, tryoutView } from './tryout.dto.js';

@AdminController('routing')
export class RoutingController {
  readonly #body = new WireValidationPipe(CreateChatCompletionDto, 'extra');

  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeyService,
    private readonly tryout: RoutingTryout,
  ) {}

  /**
   * Tells where a chat request would go, and why. Nothing is sent, held or counted; limits and credits are not looked
   * at. Health and speed are those that the process which answers has seen. The headers that influence routing count as
   * with the request itself.
   * @returns the offers in the order in which they would be asked, those that would not be, and what would be held
   * @throws ApiError 400 invalid_request, 404 not_found, model_not_found
   */
  @Perform('try')
  @Roles('operator')
  async try(@Body() body: TryoutDto, @Context() { headers }: RequestContext): Promise<TryoutView> {
    const request = chatRequest(this.#body.transform(body.request));
    return tryoutView(this.tryout.try(request, await this.#principal(body), headers));
  }

  async #principal({ account, key, environment }: TryoutDto): Promise<Principal> {
    if (key !== undefined) {
      const principal = found('valid key', key, this.keys.withId(key));
      if (account !== undefined && account !== principal.accountId) throw new ApiError('invalid_request', 'The key is not of the account.');
      return principal;
    }
    if (account === undefined) return { keyId: '', accountId: '', environment };
    const { id, rules } = await this.accounts.get(account);
    return { keyId: '', accountId: id, environment, rules: combineRules(environment, [{ kind: 'account', id, rules }]) };
  }
}
