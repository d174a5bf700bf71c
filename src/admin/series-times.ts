import { intervalLength, type SeriesInterval } from '../billing/usage-series.js';
import { ApiError } from '../common/api-error.js';
import { timeOf } from './fields.js';

/** Intervals that are shown where no beginning is named, and at most. */
const shown = { hour: { usual: 24, most: 31 * 24 }, day: { usual: 30, most: 366 } } as const;

interface SeriesTimes {
  readonly interval: SeriesInterval;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Whole intervals, but for the last, in milliseconds since 1970.
 * @throws ApiError 400 invalid_request where they are too many, or none
 */
export function seriesTimes({ interval, from, to }: SeriesTimes): { readonly from: number; readonly to: number } {
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
