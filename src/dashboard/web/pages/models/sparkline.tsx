import { Box } from '@mantine/core';

interface SparklineProps {
  /** Null: nothing was measured then. */
  values: readonly (number | null)[];
  /** What a reader who cannot see it is told. */
  label: string;
  width?: number | string;
  height?: number;
  /** The value at the bottom; absent: 0. */
  floor?: number;
}

/** Values over time as a small line, with gaps where nothing was measured. */
export function Sparkline({ values, label, width = 88, height = 24, floor = 0 }: SparklineProps) {
  const known = values.filter((value) => value !== null);
  const top = Math.max(...known, floor + 1e-9);
  const place = (value: number): number => height - 2 - ((value - floor) / (top - floor)) * (height - 4);
  const step = 100 / Math.max(values.length - 1, 1);
  const lines: string[] = [];
  let open = false;
  for (const [index, value] of values.entries()) {
    if (value !== null) lines.push(`${open ? 'L' : 'M'}${(index * step).toFixed(2)} ${place(Math.max(value, floor)).toFixed(2)}`);
    // A value between two gaps would be a line without a length.
    if (value !== null && !open && (values[index + 1] ?? null) === null) lines.push('h1');
    open = value !== null;
  }
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 100 ${height}`}
      preserveAspectRatio="none"
      style={{ width, height, display: 'block', overflow: 'visible' }}
    >
      <path
        d={lines.join('')}
        fill="none"
        stroke="var(--mantine-color-signal-6)"
        strokeWidth={1.6}
        strokeLinecap="round"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </Box>
  );
}
