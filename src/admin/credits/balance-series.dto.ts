import { environments, type Environment } from '../../auth/principal.js';
import type { BalanceOverTime, BalancePoint } from '../../billing/balance-series.js';
import { type SeriesInterval, seriesIntervals } from '../../billing/usage-series.js';
import { IsIn } from '../../common/validation/class-validator.js';
import { formatCredits } from '../../common/prices/credits.js';
import { isoTime, IsTime, MayBeAbsent } from '../fields.js';

export class BalanceSeriesQueryDto {
  @IsIn(environments)
  environment: Environment = 'live';

  /** The length of one interval; they begin at whole hours and days, in UTC. */
  @IsIn(seriesIntervals)
  interval: SeriesInterval = 'hour';

  /** From the interval of this time on; absent: 24 intervals of an hour, or 30 of a day. */
  @MayBeAbsent(IsTime())
  from?: string;

  /** Before this time; absent: now. By the hour at most 31 days are shown, by the day 366. */
  @MayBeAbsent(IsTime())
  to?: string;
}

/** What changed a balance in one interval. Amounts are credits; a charge counts at the end of its request. */
export class BalancePointView {
  /** When the interval begins. */
  time: string;
  granted: string;
  charged: string;
  /** At the end of the interval; of the last one, before `to`. */
  balance: string;
}

/** What an account had over time. Intervals in which grants and charges both come to nothing are left out. */
export class BalanceSeriesView {
  environment: Environment;
  interval: SeriesInterval;
  /** Credits at the beginning of the first interval that was asked for. */
  opening_balance: string;
  /** Oldest first. */
  data: BalancePointView[];
}

export function balanceSeriesView(
  { environment, interval }: BalanceSeriesQueryDto,
  { opening, points }: BalanceOverTime,
): BalanceSeriesView {
  return { environment, interval, opening_balance: formatCredits(opening), data: points.map(balancePointView) };
}

function balancePointView({ time, granted, charged, balance }: BalancePoint): BalancePointView {
  return { time: isoTime(time), granted: formatCredits(granted), charged: formatCredits(charged), balance: formatCredits(balance) };
}
