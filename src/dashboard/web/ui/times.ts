const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

const units = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
] as const;

/** A time of the last 24 hours as "2 hr. ago, 14:05", any other as "3 Nov, 14:05". */
export function when(time: string, now = Date.now()): string {
  const at = Date.parse(time);
  let distance = (at - now) / 1_000;
  if (Math.abs(distance) < 10) return `just now, ${clockOf(at)}`;
  for (const [unit, size] of units) {
    if (Math.abs(distance) < size) return `${relative.format(Math.trunc(distance), unit)}, ${clockOf(at)}`;
    distance /= size;
  }
  return Math.abs(distance) < 180 ? date.format(at) : dayOf(time);
}

/** The hour and the minute of a time in milliseconds, in the reader's zone. */
export const clockOf = (time: number): string => clock.format(time);

/** A time to the second, in the reader's zone. */
export const fullTime = (time: string): string => full.format(new Date(time));

/** The day of a time, in the reader's zone. */
export const dayOf = (time: string): string => day.format(new Date(time));
