import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { type StoredPriceView, storedPriceView } from '../../catalogue/price-view.js';
import { AdminController } from '../route.decorators.js';
import { type PageView, pageView } from '../page.dto.js';
import { OfferPageDto } from './price.dto.js';
import { PricesService } from './prices.service.js';

@AdminController('prices')
export class PricesController {
  constructor(private readonly prices: PricesService) {}

  /**
   * Lists the prices in force at all gateways that share the store, in the order of model and provider.
   * @returns a page of them
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: OfferPageDto): Promise<PageView<StoredPriceView>> {
    return pageView(await this.prices.inForce(query), storedPriceView);
  }
}
