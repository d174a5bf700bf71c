import { IsIn } from '../../common/validation/class-validator.js';
import { type SeriesGroup, seriesGroups, type SeriesInterval, type SeriesPoint, seriesIntervals } from '../../billing/usage-series.js';
import { formatCredits, formatDecimal } from '../../common/prices/credits.js';
import type { Integer } from '../../wire/integer.js';
import { IsCount, IsText, isoTime, IsTime, MayBeAbsent } from '../fields.js';
import { RequestsOfDto } from '../requests/request.dto.js';

export class SeriesQueryDto extends RequestsOfDto {
  /** The length of one interval; they begin at whole hours and days, in UTC. */
  @IsIn(seriesIntervals)
  interval: SeriesInterval = 'hour';

  /** What is told apart. */
  @IsIn(seriesGroups)
  by: SeriesGroup = 'none';

  /** Groups at most: those that cost most, and of errors the most frequent. All others have the group null. */
  @IsCount(1, 20)
  groups = 8;

  /** From the interval of this time on; absent: 24 intervals of an hour, or 30 of a day. */
  @MayBeAbsent(IsTime())
  from?: string;

  /** Before this time; absent: now. By the hour at most 31 days are shown, by the day 366. */
  @MayBeAbsent(IsTime())
  to?: string;

  /** Id of a project. */
  @MayBeAbsent(IsText(256, 1))
  project?: string;
}

/** Milliseconds from the call of the provider to its first token, of streamed requests. */
export class FirstTokenView {
  /** Half of the requests waited for at most so long. */
  p50: number;
  /** 95 of 100 requests waited for at most so long. */
  p95: number;
}

/** What one group did in one interval: requests count where they ended, and refused ones where they began. */
export class SeriesPointView {
  /** When the interval begins. */
  time: string;
  /**
   * The model, the id of the key or of the project (empty for keys of none), the code of the error, or null for all that
   * are not told apart. By error, requests without one are left out.
   */
  group: string | null;
  requests: Integer;
  /** Requests that ended in an error. */
  errors: Integer;
  prompt_tokens: Integer;
  completion_tokens: Integer;
  /** Credits. */
  cost: string;
  /** Credits that reading from the caches of providers has saved. */
  saved_by_caching: string;
  /** Null where nothing was streamed. */
  first_token_ms: FirstTokenView | null;
}

/** Intervals in which there was nothing are left out. */
export class SeriesView {
  interval: SeriesInterval;
  /** By time, and those of one time in the order of what their groups cost in all. */
  data: SeriesPointView[];
}

export function seriesPointView(point: SeriesPoint): SeriesPointView {
  return {
    time: isoTime(point.time),
    group: point.group,
    requests: point.requests,
    errors: point.errors,
    prompt_tokens: Number(point.promptTokens),
    completion_tokens: Number(point.completionTokens),
    cost: formatCredits(point.amount),
    saved_by_caching: formatDecimal(point.saved, 12),
    first_token_ms: point.firstTokenMs ?? null,
  };
}
