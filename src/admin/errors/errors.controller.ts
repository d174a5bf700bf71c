import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { ApiError } from '../../common/api-error.js';
import { type ErrorGroup, RecentErrors } from '../../observability/recent-errors.js';
import type { Integer } from '../../wire/integer.js';
import { AdminController } from '../route.decorators.js';
import { IsCount, IsText, isoTime, IsTime, MayBeAbsent, timeOf } from '../fields.js';
import { groupId } from './error-group.js';

const DAY = 86_400_000;
const MOST_DAYS = 7;

export class ErrorsDto {
  /** Only requests that came at this time or later; absent: those of the last 24 hours. At most 7 days are looked at. */
  @MayBeAbsent(IsTime())
  from?: string;

  /** Id of an account. */
  @MayBeAbsent(IsText(256, 1))
  account?: string;

  /** At most so many groups. */
  @IsCount(1, 200)
  limit = 50;
}

/** Requests that ended in the same error. */
export class ErrorGroupView {
  /** `requests?error_group=ID` lists its requests. */
  id: string;
  code: string;
  model: string | null;
  /** Of the last call; null where no provider was called. */
  provider: string | null;
  /** How that call went: the kind of the provider's error, for example. */
  outcome: string | null;
  requests: Integer;
  /** How many accounts have met it. */
  accounts: Integer;
  first_at: string;
  last_at: string;
  /** The latest of these requests, which `requests/ID` explains. */
  last_request_id: string;
}

export class ErrorListView {
  /** Those that most requests ended in come first. */
  data: ErrorGroupView[];
}

@AdminController('errors')
export class ErrorsController {
  constructor(private readonly errors: RecentErrors) {}

  /**
   * Groups the errors that requests have lately ended in by code, model, and the provider and outcome of the last call.
   * @returns the groups
   */
  @Get()
  @Roles('operator')
  async list(@Query() { from, account: accountId, limit }: ErrorsDto): Promise<ErrorListView> {
    const begin = timeOf(from) ?? Date.now() - DAY;
    if (begin < Date.now() - MOST_DAYS * DAY) throw new ApiError('invalid_request', `from is more than ${MOST_DAYS} days ago`);
    return { data: (await this.errors.list({ accountId, from: begin, limit })).map(errorGroupView) };
  }
}

function errorGroupView({ code, model, offer, outcome, requests, accounts, firstAt, lastAt, lastRequestId }: ErrorGroup): ErrorGroupView {
  return {
    id: groupId({ code, model, offer, outcome }),
    code,
    model,
    provider: offer === null ? null : offer.slice(0, offer.indexOf('/')),
    outcome,
    requests,
    accounts,
    first_at: isoTime(firstAt),
    last_at: isoTime(lastAt),
    last_request_id: lastRequestId,
  };
}
