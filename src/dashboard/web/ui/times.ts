const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

const units = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const;

/** A time as a distance from now, such as "2 hr. ago" or "in 3 days". */
export function ago(time: string, now = Date.now()): string {
  let distance = (Date.parse(time) - now) / 1_000;
  if (Math.abs(distance) < 10) return 'just now';
  for (const [unit, size] of units) {
    if (Math.abs(distance) < size) return relative.format(Math.trunc(distance), unit);
    distance /= size;
  }
  return time;
}

/** The hour and the minute of a time in milliseconds, in the reader's zone. */
export const clockOf = (time: number): string => clock.format(time);

/** A time to the second, in the reader's zone. */
export const fullTime = (time: string): string => full.format(new Date(time));

/** The day of a time, in the reader's zone. */
export const dayOf = (time: string): string => day.format(new Date(time));
