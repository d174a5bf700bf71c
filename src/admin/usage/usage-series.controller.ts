import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { UsageSeries } from '../../billing/usage-series.js';
import { ModelNames } from '../../catalogue/model-names.js';
import { AdminController, Id } from '../route.decorators.js';
import { seriesTimes } from '../series-times.js';
import { seriesPointView, SeriesQueryDto, type SeriesView } from './series.dto.js';

/** How the requests of an account went over time. */
@AdminController('accounts/:account/usage')
export class UsageSeriesController {
  constructor(
    private readonly usage: UsageSeries,
    private readonly names: ModelNames,
  ) {}

  /**
   * Shows requests, errors, tokens, cost and first-token times over time, by model, key, project or error.
   * @returns the intervals in which there was something
   * @throws ApiError 404 not_found
   */
  @Get('series')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async series(@Id('account') accountId: string, @Query() query: SeriesQueryDto): Promise<SeriesView> {
    const { interval, by, groups, environment, key: keyId, project: projectId, model: name } = query;
    const model = name && this.names.modelIdOf(name);
    const which = { interval, by, groups, environment, keyId, projectId, model };
    const data = await this.usage.read({ accountId, ...which, ...seriesTimes(query) });
    return { interval, data: data.map(seriesPointView) };
  }
}
