import { Body, Get, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { ModelHealth } from '../../catalogue/model-health.js';
import { type StoredPriceView, storedPriceView } from '../../catalogue/price-view.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, Id, Perform } from '../route.decorators.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';
import { PricesService } from '../prices/prices.service.js';
import {
  DisableModelDto,
  EnableModelDto,
  modelView,
  OperatorModelsDto,
  type OperatorModelView,
  type SwitchedView,
  unofferedModelView,
} from './model.dto.js';
import { ModelsService } from './models.service.js';
import { ModelSwitching } from './model-switching.js';

@AdminController('models')
export class OperatorModelsController {
  constructor(
    private readonly models: ModelsService,
    private readonly switches: ModelSwitching,
    private readonly prices: PricesService,
    private readonly health: ModelHealth,
  ) {}

  /**
   * Lists the models of the catalogue with their offers, in the order of their ids, also those that are out of service.
   * @returns a page of them
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: OperatorModelsDto): Promise<PageView<OperatorModelView>> {
    return this.models.page(query);
  }

  /**
   * Shows a model with its offers. Slashes of its id are written as %2F.
   * @returns the model
   * @throws ApiError 404 not_found, model_not_found
   */
  @Get(':model')
  @Roles('operator')
  async get(@Id('model') id: string): Promise<OperatorModelView> {
    return modelView(this.models.get(id), this.health, await this.switches.list());
  }

  /**
   * Lists the prices that a model has had, newest first.
   * @returns a page of them; an empty one for a model that never had a price
   */
  @Get(':model/prices')
  @Roles('operator')
  async history(@Id('model') id: string, @Query() query: PageDto): Promise<PageView<StoredPriceView>> {
    return pageView(await this.prices.history(id, query), storedPriceView);
  }

  /**
   * Takes a model, or its offer at one provider, out of service at all gateways, within a second. Where it is so
   * already, the message is replaced.
   * @returns the model as it is now
   * @throws ApiError 404 not_found, model_not_found where nobody offers it, unless it is forced
   */
  @Perform(':model/disable')
  @Roles('operator')
  async disable(@Id('model') id: string, @Body() body: DisableModelDto, @CurrentDeed() deed: Deed): Promise<OperatorModelView> {
    const model = await this.models.disable(id, body, deed);
    const switches = await this.switches.list();
    return model ? modelView(model, this.health, switches) : unofferedModelView(id, switches);
  }

  /**
   * Puts a model, or its offer at one provider, back into service at all gateways, within a second. What the
   * configuration has switched off stays so.
   * @returns how many switches were lifted
   */
  @Perform(':model/enable')
  @Roles('operator')
  async enable(@Id('model') id: string, @Body() body: EnableModelDto, @CurrentDeed() deed: Deed): Promise<SwitchedView> {
    return { model: id, provider: body.provider ?? null, lifted: await this.switches.enable(id, body, deed) };
  }
}
