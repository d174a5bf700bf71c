import { Controller, Get, Query } from '@nestjs/common';
import { QueryValidationPipe } from '../http/requests/query-validation.pipe.js';
import type { ModelList } from '../wire/model.js';
import { CatalogueService } from './catalogue.service.js';
import { ListModelsQuery } from './list-models.query.js';
import { LivePerformance } from './live-performance.js';
import { ModelHealth } from './model-health.js';
import { modelList } from './model-list.js';

@Controller('models')
export class ModelsController {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly performance: LivePerformance,
    private readonly health: ModelHealth,
  ) {}

  @Get()
  list(@Query(new QueryValidationPipe(ListModelsQuery)) query: ListModelsQuery): ModelList {
    return modelList(this.catalogue.all(), query, this.performance, this.health);
  }
}
