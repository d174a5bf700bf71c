import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { AdminController, Id } from '../route.decorators.js';
import type { PageView } from '../page.dto.js';
import type { AccountModelView } from './account-model.dto.js';
import { AccountModelsDto } from './account-models.query.js';
import { AccountModels } from './account-models.service.js';

/** The models that the rules of an account allow. */
@AdminController('accounts/:account/models')
export class AccountModelsController {
  constructor(private readonly models: AccountModels) {}

  /**
   * Lists the models that the account's rules allow, with capabilities, prices, how they do now and how they did by the
   * hour. Keys and projects may have narrower rules.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  list(@Id('account') account: string, @Query() query: AccountModelsDto): Promise<PageView<AccountModelView>> {
    return this.models.page(account, query);
  }

  /**
   * Shows a model that the account's rules allow, with its history by the quarter of an hour. Slashes of its id are
   * written as %2F.
   * @returns the model
   * @throws ApiError 404 not_found, model_not_found
   */
  @Get(':model')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  get(@Id('account') account: string, @Id('model') id: string): Promise<AccountModelView> {
    return this.models.get(account, id);
  }
}
