/** @param values in any order; NaN where there are none */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/** What was charged as a share of what is due. */
export const ratio = (charged: bigint, due: bigint): string =>
  due === 0n ? (charged === 0n ? '-' : '∞') : (Number(charged) / Number(due)).toFixed(3);
