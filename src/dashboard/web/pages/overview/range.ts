/** Which time a page is about. */
export interface Range {
  readonly id: string;
  readonly label: string;
  readonly interval: 'hour' | 'day';
  /** Intervals, with the one that goes on. */
  readonly intervals: number;
}

export const ranges: readonly Range[] = [
  { id: '24h', label: '24 hours', interval: 'hour', intervals: 24 },
  { id: '7d', label: '7 days', interval: 'hour', intervals: 168 },
  { id: '30d', label: '30 days', interval: 'day', intervals: 30 },
  { id: '90d', label: '90 days', interval: 'day', intervals: 90 },
];

const lengths = { hour: 3_600_000, day: 86_400_000 } as const;

/** When the intervals of a range begin, in milliseconds since 1970; the last one goes on. */
export function beginsOf({ interval, intervals }: Range, now = Date.now()): number[] {
  const length = lengths[interval];
  const last = Math.floor(now / length) * length;
  return Array.from({ length: intervals }, (_, index) => last - (intervals - 1 - index) * length);
}

const hourTick = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const dayTick = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const utcDayTick = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const hourName = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });

/** What the axis says of an interval. Hours are those of the reader's zone; days begin at midnight UTC. */
export function tickOf({ id, interval }: Range, time: number): string {
  if (interval === 'day') return utcDayTick.format(time);
  return (id === '24h' ? hourTick : dayTick).format(time);
}

/** What is said of an interval that one points at. */
export const nameOf = ({ interval }: Range, time: number): string =>
  interval === 'day' ? `${dayName.format(time)} (UTC)` : hourName.format(time);
