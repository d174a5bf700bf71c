/** A month in UTC, as 2026-11. */
export type Month = string;

const name = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** This month and those before it, newest first. */
export function recentMonths(count: number, now = new Date()): { value: Month; label: string }[] {
  return Array.from({ length: count }, (_, ago) => {
    const begin = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago));
    return { value: begin.toISOString().slice(0, 7), label: name.format(begin) };
  });
}
