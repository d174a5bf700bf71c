import type { Model } from '../../api/models';

const DAY = 86_400_000;

type Past = Model['history'][number];

/** A value for each interval of the last day; null where the model was not called. */
export function valuesOf(
  history: readonly Past[],
  interval: number,
  value: (past: Past) => number | null,
  now = Date.now(),
): (number | null)[] {
  const last = Math.floor(now / interval) * interval;
  const byTime = new Map(history.map((past) => [Date.parse(past.time), value(past)]));
  return Array.from({ length: DAY / interval }, (_, index) => byTime.get(last - DAY + interval * (index + 1)) ?? null);
}

export const HOUR = 3_600_000;
export const QUARTER = HOUR / 4;
