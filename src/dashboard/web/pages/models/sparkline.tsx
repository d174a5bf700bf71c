import { Box } from '@mantine/core';

interface SparklineProps {
  /** Null: nothing was measured then. */
  values: readonly (number | null)[];
  /** What a reader who cannot see it is told. */
  label: string;
  width?: number | string;
  height?: number;
}

/** A bar for each value, 1 wide; what was measured is seen, also where it is 0. */
export function barsOf(values: SparklineProps['values'], height: number): string {
  const top = Math.max(...values.map((value) => value ?? 0), 1e-9);
  return values
    .map((value, at) => (value === null ? '' : `M${at + 0.1} ${height}v${-1 - (value / top) * (height - 1)}h.8V${height}z`))
    .join('');
}

/** Values over time as small bars, with gaps where nothing was measured. */
export function Sparkline({ values, label, width = 88, height = 24 }: SparklineProps) {
  return (
    <Box
      component="svg"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length} ${height}`}
      preserveAspectRatio="none"
      style={{ width, height, display: 'block' }}
    >
      <path d={barsOf(values, height)} fill="var(--mantine-color-signal-6)" />
    </Box>
  );
}
