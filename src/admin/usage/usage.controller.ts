import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { type ChargesView, chargesView, usageView } from '../../billing/usage-view.js';
import { AdminController, Id } from '../route.decorators.js';
import { ChargesQueryDto, UsageQueryDto, type UsageListView } from './usage.dto.js';
import { UsageService } from './usage.service.js';

/** What all accounts have used, and below an account what this one has. */
@AdminController('', 'accounts/:account')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  /**
   * Sums what was used and charged.
   * @returns the sums, in the order of what is summed by
   * @throws ApiError 404 not_found
   */
  @Get('usage')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async sums(@Id('account') account: string | undefined, @Query() query: UsageQueryDto): Promise<UsageListView> {
    return { data: (await this.usage.sums(account, query)).map(usageView) };
  }

  /**
   * Sums what was charged by component of the prices: count x price = credits.
   * @returns the components, and what the caches of providers have saved
   * @throws ApiError 404 not_found
   */
  @Get('charges')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async charges(@Id('account') account: string | undefined, @Query() query: ChargesQueryDto): Promise<ChargesView> {
    return chargesView(await this.usage.components(account, query));
  }
}
