import { Controller, Get, Param, Query, UseInterceptors } from '@nestjs/common';
import { ModelAccess } from '../common/access/model-access.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { Access } from '../http/requests/access.decorator.js';
import { Context } from '../http/requests/context.decorator.js';
import { Operation } from '../http/requests/operation.decorator.js';
import { QueryValidationPipe } from '../http/requests/query-validation.pipe.js';
import type { RequestContext } from '../http/requests/request-context.js';
import type { Model, ModelList } from '../wire/model.js';
import { statusOf } from './catalogue-model.js';
import { CatalogueService } from './catalogue.service.js';
import { ListModelsQuery, ModelQuery } from './list-models.query.js';
import { LivePerformance } from './live-performance.js';
import { ModelHealth } from './model-health.js';
import { ModelsFormats } from './models-formats.js';
import { modelList, modelOf } from './model-list.js';

@Controller('models')
@UseInterceptors(ErrorEnvelopeInterceptor)
export class ModelsController {
  constructor(
    private readonly catalogue: CatalogueService,
    private readonly performance: LivePerformance,
    private readonly health: ModelHealth,
    private readonly formats: ModelsFormats,
  ) {}

  /**
   * Lists the models. Filters may be combined. Prices, performance and status are those of the moment.
   * @returns the models in the order of the catalogue
   */
  @Get()
  @Operation('models')
  async list(
    @Query(new QueryValidationPipe(ListModelsQuery)) query: ListModelsQuery,
    @Context() { account = '', headers }: RequestContext,
    @Access() access?: ModelAccess,
  ): Promise<ModelList> {
    const list = modelList(await this.catalogue.accessible(access), query, this.performance, this.health, account);
    return this.formats.list(list, headers);
  }

  /**
   * Shows one model as the list does, also one that is not active. A slash of its id may stand as it is or as `%2F`.
   * Any id by which the model can be asked for is known, also `provider/model`.
   * @returns the model
   * @throws ApiError 404 model_not_found
   */
  @Get('*')
  @Operation('models')
  get(
    @Param('*') id: string,
    @Query(new QueryValidationPipe(ModelQuery)) { include_capabilities }: ModelQuery,
    @Context() { account = '', headers }: RequestContext,
    @Access() access?: ModelAccess,
  ): Model {
    const model = { ...this.catalogue.find(id, access), id };
    const status = statusOf(model, this.health, account);
    return this.formats.model(modelOf(model, status, this.performance.read(model.offers), include_capabilities), headers);
  }
}
