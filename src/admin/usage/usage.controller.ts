import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { type ChargesView, chargesView, usageView } from '../../billing/usage-view.js';
import { AdminController } from '../admin-controller.decorator.js';
import { ChargesQueryDto, UsageQueryDto, type UsageListView } from './usage.dto.js';
import { UsageService } from './usage.service.js';

/** What all accounts have used. */
@AdminController('')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  /**
   * Sums what was used and charged.
   * @returns the sums, in the order of what is summed by
   * @throws ApiError 404 not_found
   */
  @Get('usage')
  @Roles('operator')
  async sums(@Query() query: UsageQueryDto): Promise<UsageListView> {
    return { data: (await this.usage.sums(undefined, query)).map(usageView) };
  }

  /**
   * Sums what was charged by component of the prices: count x price = credits.
   * @returns the components, and what the caches of providers have saved
   * @throws ApiError 404 not_found
   */
  @Get('charges')
  @Roles('operator')
  async charges(@Query() query: ChargesQueryDto): Promise<ChargesView> {
    return chargesView(await this.usage.components(undefined, query));
  }
}
