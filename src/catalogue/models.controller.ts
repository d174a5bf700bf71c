import { Controller, Get, Query } from '@nestjs/common';
import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import type { ModelList } from '../wire/model.js';
import { CatalogueService } from './catalogue.service.js';
import { ListModelsQuery } from './list-models.query.js';
import { LivePerformance } from './live-performance.js';
import { modelList } from './model-list.js';

/** GET /v1/models */
@Controller('models')
export class ModelsController {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly performance: LivePerformance,
  ) {}

  @Get()
  list(@Query(new WireValidationPipe(ListModelsQuery)) query: ListModelsQuery): ModelList {
    return modelList(this.catalogue.all(), query, this.performance, this.catalogue.health);
  }
}
