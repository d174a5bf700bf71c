import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { intervalLength, UsageSeries } from '../../billing/usage-series.js';
import { ApiError } from '../../common/api-error.js';
import { DtoPipe } from '../../http/requests/dto.pipe.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { AdminController } from '../admin-controller.decorator.js';
import { Id, timeOf } from '../fields.js';
import { refusals } from '../refusals.js';
import { seriesPointView, SeriesQueryDto, type SeriesView } from './series.dto.js';

/** Intervals that are shown where no beginning is named, and at most. */
const shown = { hour: { usual: 24, most: 31 * 24 }, day: { usual: 30, most: 366 } } as const;

/** How the requests of an account went over time. */
@AdminController('accounts/:account/usage')
export class UsageSeriesController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly usage: UsageSeries,
  ) {}

  /**
   * Shows requests, errors, tokens, cost and first-token times over time, by model, key or project.
   * @returns the intervals in which there was something
   * @throws ApiError 404 not_found
   */
  @Get('series')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async series(@Id('account') accountId: string, @Query(new DtoPipe(SeriesQueryDto)) query: SeriesQueryDto): Promise<SeriesView> {
    await this.accounts.get(accountId);
    const { interval, by, groups, environment, key: keyId, project: projectId, model } = query;
    const which = { interval, by, groups, environment, keyId, projectId, model };
    const data = await refusals(() => this.usage.read({ accountId, ...which, ...timesOf(query) }));
    return { interval, data: data.map(seriesPointView) };
  }
}

/** Whole intervals, but for the last. */
function timesOf({ interval, from, to }: SeriesQueryDto): { readonly from: number; readonly to: number } {
  const length = intervalLength[interval];
  const { usual, most } = shown[interval];
  const end = timeOf(to) ?? Date.now();
  const last = Math.ceil(end / length) * length;
  const begin = Math.floor((timeOf(from) ?? last - usual * length) / length) * length;
  if (begin >= end) throw new ApiError('invalid_request', 'from must be before to');
  if (last - begin > most * length)
    throw new ApiError('invalid_request', `At most ${most} intervals of a ${interval} are shown: name a later from, or a longer interval.`);
  return { from: begin, to: end };
}
