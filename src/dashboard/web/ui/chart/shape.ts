import { nice, ticks } from 'd3-array';
import { area, curveStep, line } from 'd3-shape';

/** One figure of one interval. */
export interface Value {
  /** Where it is drawn; null: nothing was measured, and a line has a gap. */
  readonly size: number | null;
  /** What it is, as exact as it is known. */
  readonly text: string;
}

/** @param zeroes 0 is something too */
export function isSomething(value: Value | undefined, zeroes: boolean): boolean {
  return value !== undefined && value.size !== null && (zeroes || value.size !== 0);
}

/** What is drawn in one colour: a value for each interval. */
export interface Series {
  readonly name: string;
  readonly color: string;
  readonly values: readonly Value[];
}

/** `bars` and `areas` stand on each other, `lines` do not. */
export type Kind = 'bars' | 'areas' | 'lines';

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** Pixels that the axes take. */
  readonly left: number;
  readonly bottom: number;
}

/** Pixels above the highest value. */
const TOP = 6;

/** How many values stand at the axis, about. */
const TICKS = 4;

/** Where intervals and values stand in a frame. */
export function scalesOf(series: readonly Series[], intervals: number, kind: Kind, frame: Frame, whole: boolean) {
  const tops = Array.from({ length: intervals }, (_, place) => {
    const sizes = series.map(({ values }) => values[place]?.size ?? 0);
    return kind === 'lines' ? Math.max(0, ...sizes) : sizes.reduce((sum, size) => sum + size, 0);
  });
  const [, top] = nice(0, Math.max(...tops) || 1, TICKS);
  const [bottom, step] = [frame.height - frame.bottom, (frame.width - frame.left) / intervals];
  return {
    ticks: ticks(0, top, TICKS).filter((tick) => !whole || Number.isInteger(tick)),
    y: (size: number): number => bottom - (size / top) * (bottom - TOP),
    /** Where the middle of an interval is. */
    x: (place: number): number => frame.left + step * (place + 0.5),
    step,
  };
}

type Scales = ReturnType<typeof scalesOf>;

/** The most that a bar takes of the width, in pixels. */
const WIDEST = 28;

/** The bars of each series, as one path each. */
export function barsOf(series: readonly Series[], { x, y, step }: Scales): string[] {
  const width = Math.min(step * 0.75, WIDEST);
  return stacked(series).map((parts) =>
    parts
      .map(([from, to], place) => {
        if (to === from) return '';
        const [left, bottom, top] = [x(place) - width / 2, y(from), y(to)].map((pixels) => pixels.toFixed(1));
        return `M${left} ${bottom}V${top}h${width.toFixed(1)}V${bottom}Z`;
      })
      .join(''),
  );
}

/** The areas of each series, and the line above each: each value from the beginning of its interval to the end. */
export function areasOf(series: readonly Series[], { x, y }: Scales): { fill: string; edge: string }[] {
  const fill = area<readonly [number, number]>(
    (_, place) => x(place),
    ([from]) => y(from),
    ([, to]) => y(to),
  ).curve(curveStep);
  const edge = fill.lineY1();
  return stacked(series).map((parts) => ({ fill: fill(parts) ?? '', edge: edge(parts) ?? '' }));
}

/** The line of each series, with gaps where nothing was measured. */
export function linesOf(series: readonly Series[], { x, y }: Scales): string[] {
  const path = line<Value>(
    (_, place) => x(place),
    ({ size }) => y(size ?? 0),
  )
    .defined(({ size }) => size !== null)
    .curve(curveStep);
  return series.map(({ values }) => path(values) ?? '');
}

/** Each series begins where the one before it ends. */
function stacked(series: readonly Series[]): (readonly [number, number])[][] {
  const ends: number[] = [];
  return series.map(({ values }) =>
    values.map(({ size }, place) => {
      const from = ends[place] ?? 0;
      ends[place] = from + (size ?? 0);
      return [from, ends[place]] as const;
    }),
  );
}
