import type { Value } from '../../ui/chart/shape';
import { exactCredits } from '../../ui/numbers';
import type { BalanceSeries, Point, Series } from './overview.api';

/** What a group did in each interval, in their order. */
export function valuesOf(
  { begins, points }: Series,
  group: string | null,
  size: (point: Point) => number | null,
  text: (point: Point) => string,
  /** Where there was nothing. */
  nothing: number | null = 0,
): Value[] {
  const values = new Map(
    points.filter((point) => point.group === group).map((point) => [Date.parse(point.time), { size: size(point), text: text(point) }]),
  );
  return begins.map((time) => values.get(time) ?? { size: nothing, text: nothing === null ? '–' : String(nothing) });
}

/** What the account had at the end of each interval: where nothing has changed it, what it had before. */
export function balancesOf({ begins, opening, points }: BalanceSeries): Value[] {
  const changed = new Map(points.map(({ time, balance }) => [Date.parse(time), balance]));
  let balance = opening;
  return begins.map((time) => {
    balance = changed.get(time) ?? balance;
    return { size: Number(balance), text: exactCredits(balance) };
  });
}

/** What all groups come to in an interval. */
export const totalAt = ({ begins, points }: Series, place: number, sum: (points: readonly Point[]) => string): string =>
  sum(points.filter(({ time }) => Date.parse(time) === begins[place]));

/** The groups of a series: those that cost most come first, of errors the most frequent, and the others last. */
export function groupsOf({ by, points }: Series): (string | null)[] {
  const size = new Map<string | null, number>();
  for (const point of points) size.set(point.group, (size.get(point.group) ?? 0) + (by === 'error' ? point.errors : Number(point.cost)));
  const named = [...size].filter(([group]) => group !== null).sort(([, one], [, other]) => other - one);
  return [...named.map(([group]) => group), ...(size.has(null) ? [null] : [])];
}
