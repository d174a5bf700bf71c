import { readFileSync, writeFileSync } from 'node:fs';

/** Of the system's clock that `/proc` counts in. */
const TICKS_A_SECOND = 100;

function memory(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024;
}

export const residentBytes = (pid: number): number => memory(pid, 'VmRSS');

/** Most resident bytes since `forgetPeak`, or since the start. */
export const peakBytes = (pid: number): number => memory(pid, 'VmHWM');

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Seconds of CPU that the main thread has used. */
export function mainThreadSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** Milliseconds that the main thread was ready to run and waited for a core; 0 where the system does not tell. */
export function waitedForCore(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The sum of a metric's series. @param without series whose labels match are left out */
export async function metricOf(address: string, name: string, without?: RegExp): Promise<number> {
  const page = await (await fetch(new URL('/metrics', address))).text();
  const series = page.matchAll(new RegExp(`^${name}(\\{[^}]*\\})? (\\S+)$`, 'gm'));
  return Array.from(series, ([, labels = '', value]) => (without?.test(labels) ? 0 : Number(value))).reduce((sum, one) => sum + one, 0);
}
