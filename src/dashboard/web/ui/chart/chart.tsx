import { Paper, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, useState } from 'react';
import classes from './chart.module.css';
import { areasOf, barsOf, type Frame, isSomething, type Kind, linesOf, scalesOf, type Series } from './shape';

/** Pixels. */
export const CHART_HEIGHT = 220;
const BOTTOM = 22;
const OF_A_LETTER = 6.4;
const BETWEEN_TIMES = 76;

/** A line is hardly seen where it has few points, and dots would cover it where it has many. */
const MOST_DOTS = 31;

export interface ChartProps {
  /** What it shows. */
  label: string;
  kind: Kind;
  series: readonly Series[];
  /** What the axis says of each interval. */
  times: readonly string[];
  /** What is said of an interval that one points at. */
  nameOfTime: (place: number) => string;
  /** What the axis says of its values. */
  namesOf: (sizes: readonly number[]) => string[];
  /** 0 is a value as any other; absent: it means that there was nothing. */
  zeroes?: boolean;
  /** Only whole numbers stand at the axis. */
  whole?: boolean;
  /** What the values of an interval come to; absent: they are not added up. */
  sumOf?: (place: number) => string;
}

/** Figures over time. One who points at an interval reads them exactly. */
export function Chart(props: ChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  return (
    <div ref={ref} className={classes.chart} style={{ height: CHART_HEIGHT }}>
      {width > 0 && <Drawn {...props} width={width} />}
    </div>
  );
}

function Drawn({
  label,
  kind,
  series,
  times,
  nameOfTime,
  namesOf,
  zeroes = false,
  whole = false,
  sumOf,
  width,
}: ChartProps & { width: number }) {
  const [place, setPlace] = useState<number>();
  const frameWith = (left: number): Frame => ({ width, height: CHART_HEIGHT, left, bottom: BOTTOM });
  const { ticks: labels } = scalesOf(series, times.length, kind, frameWith(0), whole);
  const names = namesOf(labels);
  const left = 10 + Math.max(...names.map(({ length }) => length)) * OF_A_LETTER;
  const scales = scalesOf(series, times.length, kind, frameWith(left), whole);
  const { x, y, ticks, step } = scales;
  const each = Math.ceil(BETWEEN_TIMES / step);
  const point = ({ clientX, currentTarget }: PointerEvent<SVGElement>) => {
    const part = (clientX - currentTarget.getBoundingClientRect().left - left) / (width - left);
    setPlace(part < 0 ? undefined : Math.min(Math.floor(part * times.length), times.length - 1));
  };
  return (
    <>
      <svg
        role="img"
        aria-label={`${label} over time`}
        width={width}
        height={CHART_HEIGHT}
        className={classes.drawing}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPlace(undefined)}
      >
        {ticks.map((size, at) => (
          <g key={size}>
            <line x1={left} x2={width} y1={y(size)} y2={y(size)} className={classes.grid} />
            <text x={left - 8} y={y(size)} dy="0.32em" textAnchor="end" className={classes.tick}>
              {names[at]}
            </text>
          </g>
        ))}
        {times.map((time, at) =>
          at % each === Math.floor((each - 1) / 2) ? (
            // Intervals have no other name than their place.
            // oxlint-disable-next-line react/no-array-index-key
            <text key={at} x={x(at)} y={CHART_HEIGHT - 4} textAnchor="middle" className={classes.tick}>
              {time}
            </text>
          ) : null,
        )}
        {place !== undefined && <line x1={x(place)} x2={x(place)} y1={6} y2={CHART_HEIGHT - BOTTOM} className={classes.pointer} />}
        <Shapes kind={kind} series={series} scales={scales} dots={times.length <= MOST_DOTS} />
      </svg>
      {place !== undefined && (
        <Tip series={series} place={place} zeroes={zeroes} name={nameOfTime(place)} sum={sumOf?.(place)} at={x(place)} width={width} />
      )}
    </>
  );
}

type ShapesProps = Pick<ChartProps, 'kind' | 'series'> & { scales: ReturnType<typeof scalesOf>; dots: boolean };

function Shapes({ kind, series, scales, dots }: ShapesProps) {
  if (kind === 'bars')
    return barsOf(series, scales).map((path, index) => <path key={series[index]!.name} d={path} fill={series[index]!.color} />);
  if (kind === 'areas')
    return areasOf(series, scales).map(({ fill, edge }, index) => (
      <g key={series[index]!.name}>
        <path d={fill} fill={series[index]!.color} opacity={0.25} />
        <path d={edge} fill="none" stroke={series[index]!.color} strokeWidth={1.75} />
      </g>
    ));
  return linesOf(series, scales).map((path, index) => {
    const { name, color, values } = series[index]!;
    return (
      <g key={name}>
        <path d={path} fill="none" stroke={color} strokeWidth={1.75} />
        {dots &&
          values.map(({ size }, at) =>
            // oxlint-disable-next-line react/no-array-index-key
            size === null ? null : <circle key={at} cx={scales.x(at)} cy={scales.y(size)} r={2.5} fill={color} />,
          )}
      </g>
    );
  });
}

interface TipProps {
  series: readonly Series[];
  place: number;
  zeroes: boolean;
  name: string;
  sum: string | undefined;
  /** Pixels from the left. */
  at: number;
  width: number;
}

/** What an interval is, beside where one points. */
function Tip({ series, place, zeroes, name, sum, at, width }: TipProps) {
  const measured = series.filter(({ values }) => isSomething(values[place], zeroes));
  const side = at > width / 2 ? { right: width - at + 12 } : { left: at + 12 };
  return (
    <Paper shadow="md" withBorder px="sm" py={8} className={classes.tip} style={side} role="tooltip">
      <Text size="xs" fw={600} mb={4}>
        {name}
      </Text>
      {measured.map(({ name: of, color, values }) => (
        <Line key={of} name={of} color={color} text={values[place]!.text} />
      ))}
      {measured.length === 0 && (
        <Text size="xs" c="dimmed">
          Nothing
        </Text>
      )}
      {measured.length > 1 && sum !== undefined && <Line name="In all" text={sum} />}
    </Paper>
  );
}

const Line = ({ name, color = 'none', text }: { name: string; color?: string; text: string }) => (
  <div className={classes.line}>
    <svg width="10" height="10" aria-hidden>
      <rect width="10" height="10" rx="3" fill={color} />
    </svg>
    <Text size="xs" truncate>
      {name}
    </Text>
    <Text size="xs" fw={550} className="numbers">
      {text}
    </Text>
  </div>
);
