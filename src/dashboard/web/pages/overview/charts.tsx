import { Box, Card, Group, SimpleGrid, Skeleton, Text, Title } from '@mantine/core';
import { IconChartBar, IconTable } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Chart, CHART_HEIGHT, type ChartProps } from '../../ui/chart/chart';
import { ChartTable } from '../../ui/chart/chart-table';
import { IconAction } from '../../ui/icon-action';
import { ErrorState, StaleState } from '../../ui/states';
import { axisOf, count, countAxis, duration, durationAxis, exactCredits, sumOfCredits } from '../../ui/numbers';
import { type BalanceQuery, type Series as Usage, type SeriesQuery, useGroupNames } from './overview.api';
import { nameOf, tickOf } from './range';
import { balancesOf, groupsOf, totalAt, valuesOf } from './values';

const palette = ['signal-6', 'blue-5', 'violet-5', 'orange-5', 'pink-5', 'yellow-6'];

const colorOf = (name = 'gray-5'): string => `var(--mantine-color-${name})`;

interface ChartsProps {
  /** Told apart as the reader wants it; absent: not known yet. */
  grouped: Usage | undefined;
  /** All together, for what cannot be added up. */
  whole: Usage | undefined;
  balance: BalanceQuery;
  /** Those that failed, by what they ended in. */
  failed: SeriesQuery;
}

/** Spend, balance, requests, tokens and first-token times over time. Panels have their places before it is known what is in them. */
export function Charts({ grouped, whole, balance, failed }: ChartsProps) {
  const nameOfGroup = useGroupNames(grouped?.by ?? 'none', grouped?.points);
  const nameOfError = useGroupNames('error');
  const named = nameOfGroup && grouped;
  const panel = (title: string, unit: string, usage: Usage | undefined, figure: Figure, query?: SeriesQuery) => {
    const by = usage?.by ?? 'none';
    const series = usage
      ? groupsOf(usage).map((group, index) => ({
          name: (by === 'error' ? nameOfError : nameOfGroup)!(group),
          color: colorOf(group === null && by !== 'none' ? undefined : palette[index]),
          values: valuesOf(usage, group, figure.size, figure.text),
        }))
      : [];
    return (
      <Panel
        title={title}
        unit={unit}
        legend={by === 'none' ? undefined : series.filter(({ values }) => values.some(({ size }) => size))}
        query={query}
      >
        {usage && {
          kind: 'bars',
          series,
          ...timesOf(usage),
          namesOf: figure.namesOf,
          whole: figure.whole,
          sumOf: (place) => totalAt(usage, place, figure.sum),
        }}
      </Panel>
    );
  };
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      {panel('Spend', 'credits', named, spend)}
      <Panel title="Balance" unit="with what is held, at the end of each interval" query={balance}>
        {balance.data && {
          kind: 'areas',
          series: [{ name: 'Balance', color: colorOf('signal-6'), values: balancesOf(balance.data) }],
          ...timesOf(balance.data),
          zeroes: true,
          namesOf: axisOf,
        }}
      </Panel>
      {panel('Requests', 'that ended', named, requests)}
      {panel('Tokens', 'prompt and completion', named, tokens)}
      {panel('Errors', 'by what requests ended in', failed.data, errors, failed)}
      <Panel title="First token" unit="of streamed requests, from the call of the provider" legend={percentiles}>
        {whole && {
          kind: 'lines',
          series: percentiles.map(({ name, color, of: percentile }) => ({
            name,
            color,
            values: valuesOf(
              whole,
              null,
              ({ first_token_ms }) => first_token_ms?.[percentile] ?? null,
              ({ first_token_ms }) => (first_token_ms ? duration(first_token_ms[percentile]) : '–'),
              null,
            ),
          })),
          ...timesOf(whole),
          namesOf: durationAxis,
        }}
      </Panel>
    </SimpleGrid>
  );
}

type Point = Usage['points'][number];

/** What a chart shows of an interval. */
interface Figure {
  readonly size: (point: Point) => number;
  readonly text: (point: Point) => string;
  /** What those of several groups come to. */
  readonly sum: (points: readonly Point[]) => string;
  readonly namesOf: ChartProps['namesOf'];
  readonly whole: boolean;
}

const spend: Figure = {
  size: ({ cost }) => Number(cost),
  text: ({ cost }) => exactCredits(cost),
  sum: (points) => exactCredits(sumOfCredits(points.map(({ cost }) => cost))),
  namesOf: axisOf,
  whole: false,
};

const counted = (size: (point: Point) => number): Figure => ({
  size,
  text: (point) => count(size(point)),
  sum: (points) => count(points.reduce((sum, point) => sum + size(point), 0)),
  namesOf: countAxis,
  whole: true,
});

const requests = counted((point) => point.requests);
const errors = counted((point) => point.errors);
const tokens = counted(({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens);

const percentiles = [
  { name: 'Half of the requests waited at most', color: colorOf('signal-6'), of: 'p50' },
  { name: '95 of 100 waited at most', color: colorOf('orange-5'), of: 'p95' },
] as const;

const timesOf = ({ range, begins }: Pick<Usage, 'range' | 'begins'>): Pick<ChartProps, 'times' | 'nameOfTime'> => ({
  times: begins.map((time) => tickOf(range, time)),
  nameOfTime: (place) => nameOf(range, begins[place]!),
});

interface PanelProps {
  title: string;
  unit: string;
  /** Names and their colours; absent: there is but one. */
  legend?: readonly { name: string; color: string }[] | undefined;
  /** What its figures come from, where nothing else of the page does: its errors are told here. */
  query?: BalanceQuery | SeriesQuery | undefined;
  /** Absent: not known yet. */
  children: Omit<ChartProps, 'label'> | undefined;
}

function Panel({ title, unit, legend, query, children: chart }: PanelProps) {
  const [asTable, setAsTable] = useState(false);
  const [icon, label] = asTable ? ([IconChartBar, 'As a chart'] as const) : ([IconTable, 'As a table'] as const);
  return (
    <Card component="section" aria-label={title}>
      <Group gap={8} mb="md" wrap="nowrap">
        <Title order={2} size="h5" style={{ whiteSpace: 'nowrap' }}>
          {title}
        </Title>
        <Text size="xs" c="dimmed" flex={1}>
          {unit}
        </Text>
        <IconAction icon={icon} label={label} name={`${title}: ${label.toLowerCase()}`} size="sm" onClick={() => setAsTable(!asTable)} />
      </Group>
      {query?.error && chart && <StaleState error={query.error} since={query.dataUpdatedAt} retry={() => void query.refetch()} />}
      {query?.error && !chart ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : !chart ? (
        <Skeleton height={CHART_HEIGHT} radius="md" role="status" aria-label="Loading" />
      ) : asTable ? (
        <ChartTable label={title} {...chart} />
      ) : (
        <Chart label={title} {...chart} />
      )}
      {legend && <Legend entries={legend} />}
    </Card>
  );
}

/** Names beside their colours. Its height does not depend on how many there are, unless they are many and long. */
function Legend({ entries }: { entries: NonNullable<PanelProps['legend']> }): ReactNode {
  return (
    <Box mih={42} mt="sm">
      <Group gap="4px 16px" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {entries.map(({ name, color }) => (
          <Group key={name} gap={6} component="li" wrap="nowrap" maw={240}>
            <svg width="10" height="10" aria-hidden>
              <rect width="10" height="10" rx="3" fill={color} />
            </svg>
            <Text size="xs" truncate title={name}>
              {name}
            </Text>
          </Group>
        ))}
      </Group>
    </Box>
  );
}
