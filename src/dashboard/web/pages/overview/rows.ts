import type { Point, Series } from './overview.api';

/** A row of a chart: when its interval begins, and a number for each line. */
export interface Row {
  time: number;
  [name: string]: number | null;
}

/** The name in the rows of a chart of the group at a place: charts take a name with a dot for a path. */
export const fieldOf = (place: number): string => `group${place}`;

/** A row for each interval, with a number for each group; zero where there was nothing. */
export function rowsOf({ begins, points }: Series, groups: readonly (string | null)[], value: (point: Point) => number): Row[] {
  const rows = new Map(begins.map((time) => [time, rowWith(time, groups)]));
  for (const point of points) {
    const row = rows.get(Date.parse(point.time));
    const place = groups.indexOf(point.group);
    if (row && place !== -1) row[fieldOf(place)] = value(point);
  }
  return [...rows.values()];
}

function rowWith(time: number, groups: readonly (string | null)[]): Row {
  return { time, ...Object.fromEntries(groups.map((_, place) => [fieldOf(place), 0])) };
}

/** The groups of a series: those that cost most come first, and the others last. */
export function groupsOf({ points }: Series): (string | null)[] {
  const cost = new Map<string | null, number>();
  for (const point of points) cost.set(point.group, (cost.get(point.group) ?? 0) + Number(point.cost));
  const named = [...cost].filter(([group]) => group !== null).sort(([, one], [, other]) => other - one);
  return [...named.map(([group]) => group), ...(cost.has(null) ? [null] : [])];
}

/** A row for each interval with the first-token times; null where nothing was streamed, so that the line has a gap. */
export function firstTokenRows({ begins, points }: Series): Row[] {
  const times = new Map(points.map(({ time, first_token_ms }) => [Date.parse(time), first_token_ms]));
  return begins.map((time) => ({ time, p50: times.get(time)?.p50 ?? null, p95: times.get(time)?.p95 ?? null }));
}
