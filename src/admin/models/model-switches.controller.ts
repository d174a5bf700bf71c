import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { AdminController } from '../route.decorators.js';
import { type PageView, pageView } from '../page.dto.js';
import { ModelSwitchesDto, type ModelSwitchView, switchView } from './model.dto.js';
import { ModelsService } from './models.service.js';

@AdminController('model-switches')
export class ModelSwitchesController {
  constructor(private readonly models: ModelsService) {}

  /**
   * Lists what operators have taken out of service, also where nobody offers it at present.
   * @returns a page of the switches
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: ModelSwitchesDto): Promise<PageView<ModelSwitchView>> {
    return pageView(await this.models.switchesPage(query), switchView);
  }
}
