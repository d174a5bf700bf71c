import { type Weekday, weekdays } from '../../wire/weekday.js';

/** Hours of the day (UTC) at which a price is another. */
export interface PriceHours {
  /**
   * Minutes since midnight, of which the first counts and the last does not. Hours that end before they begin go on
   * past midnight.
   */
  readonly from: number;
  readonly to: number;
  /** The days on which they begin; absent: on all. */
  readonly days?: readonly Weekday[];
}

/** Hours as prices tell them: `HH:MM`, up to `24:00`. */
export interface HoursQuote {
  readonly from: string;
  readonly to: string;
  readonly days?: readonly Weekday[] | undefined;
}

const DAY = 1_440;

/** @throws RangeError where it is no time of the day */
export function parseHours({ from, to, days }: HoursQuote): PriceHours {
  return { from: parseTime(from), to: parseTime(to), ...(days && { days }) };
}

export function quoteOfHours({ from, to, days }: PriceHours): HoursQuote {
  return { from: formatTime(from), to: formatTime(to), ...(days && { days }) };
}

/** Names the hours in a count that was charged at them: `01:00-04:00`, `22:00-02:00 mon,tue`. */
export function nameOfHours(hours: PriceHours): string {
  return `${formatTime(hours.from)}-${formatTime(hours.to)}${hours.days ? ` ${hours.days.join(',')}` : ''}`;
}

/** @param at milliseconds since 1970 */
export function isWithin({ from, to, days }: PriceHours, at: number): boolean {
  const minutes = Math.floor(at / 60_000);
  const minute = minutes % DAY;
  const pastMidnight = to < from && minute < to;
  if (!pastMidnight && !(minute >= from && (minute < to || to < from))) return false;
  // 1970 began on a Thursday.
  return !days || days.includes(weekdays[(Math.floor(minutes / DAY) + 4 - (pastMidnight ? 1 : 0) + 7) % 7]!);
}

function parseTime(text: string): number {
  const [, hours, minutes] = /^([01]\d|2[0-4]):([0-5]\d)$/.exec(text) ?? [];
  const time = Number(hours) * 60 + Number(minutes);
  if (!(time <= DAY)) throw new RangeError(`not a time of the day: ${text}`);
  return time;
}

function formatTime(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
