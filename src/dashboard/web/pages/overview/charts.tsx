import '@mantine/charts/styles.css';
import { AreaChart, BarChart, LineChart } from '@mantine/charts';
import { Card, Group, SimpleGrid, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { count, duration, short, shortCredits } from '../../ui/numbers';
import type { Group as Grouping, Series } from './overview.api';
import { nameOf, tickOf } from './range';
import { fieldOf, firstTokenRows, groupsOf, rowsOf } from './rows';

const palette = ['signal.6', 'blue.5', 'violet.5', 'orange.5', 'pink.5', 'yellow.6'];
const HEIGHT = 220;

interface ChartsProps {
  /** Told apart as the reader wants it. */
  grouped: Series;
  /** All together, for what cannot be added up. */
  whole: Series;
  by: Grouping;
  nameOfGroup: (group: string | null) => string;
}

/** Spend, requests, tokens and first-token times over time. */
export default function Charts({ grouped, whole, by, nameOfGroup }: ChartsProps) {
  const groups = groupsOf(grouped);
  const series = groups.map((group, index) => ({
    name: fieldOf(index),
    label: nameOfGroup(group),
    color: group === null && by !== 'none' ? 'gray.5' : (palette[index] ?? 'gray.5'),
  }));
  const shared = {
    h: HEIGHT,
    dataKey: 'time',
    withLegend: false,
    tickLine: 'none' as const,
    gridAxis: 'x' as const,
    strokeDasharray: '3 3',
    xAxisProps: { tickFormatter: (time: number) => tickOf(grouped.range, time), minTickGap: 32 },
    tooltipProps: {
      labelFormatter: (time: ReactNode) => (typeof time === 'number' ? nameOf(grouped.range, time) : ''),
      isAnimationActive: false,
    },
  };
  const bars = { ...shared, series, type: 'stacked' as const, barProps: { isAnimationActive: false }, maxBarWidth: 28 };
  const legend = by === 'none' ? undefined : <Legend series={series} />;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Panel title="Spend" unit="credits" legend={legend}>
        <BarChart
          {...bars}
          data={rowsOf(grouped, groups, ({ cost }) => Number(cost))}
          valueFormatter={(value) => shortCredits(String(value))}
        />
      </Panel>
      <Panel title="Requests" unit="that ended" legend={legend}>
        <BarChart {...bars} data={rowsOf(grouped, groups, ({ requests }) => requests)} valueFormatter={count} yAxisProps={wholeNumbers} />
      </Panel>
      <Panel title="Tokens" unit="prompt and completion" legend={legend}>
        <AreaChart
          {...shared}
          series={series}
          type="stacked"
          curveType="monotone"
          withDots={false}
          fillOpacity={0.25}
          areaProps={{ isAnimationActive: false }}
          data={rowsOf(grouped, groups, ({ prompt_tokens, completion_tokens }) => prompt_tokens + completion_tokens)}
          valueFormatter={short}
        />
      </Panel>
      <Panel title="Errors" unit="requests that ended in one" legend={legend}>
        <BarChart {...bars} data={rowsOf(grouped, groups, ({ errors }) => errors)} valueFormatter={count} yAxisProps={wholeNumbers} />
      </Panel>
      <Panel title="First token" unit="of streamed requests, from the call of the provider" legend={<Legend series={percentiles} />} wide>
        <LineChart
          {...shared}
          data={firstTokenRows(whole)}
          series={percentiles}
          connectNulls={false}
          curveType="linear"
          strokeWidth={1.75}
          withDots={whole.begins.length <= 31}
          dotProps={{ r: 2.5 }}
          lineProps={{ isAnimationActive: false }}
          valueFormatter={duration}
          yAxisProps={{ width: 64 }}
        />
      </Panel>
    </SimpleGrid>
  );
}

const wholeNumbers = { allowDecimals: false };

const percentiles = [
  { name: 'p50', label: 'Half of the requests waited at most', color: 'signal.6' },
  { name: 'p95', label: '95 of 100 waited at most', color: 'orange.5' },
];

interface PanelProps {
  title: string;
  unit: string;
  legend?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

function Panel({ title, unit, legend, wide = false, children }: PanelProps) {
  return (
    <Card component="section" aria-label={title} style={wide ? { gridColumn: '1 / -1' } : undefined}>
      <Group gap={8} mb="md" align="baseline">
        <Title order={2} size="h5">
          {title}
        </Title>
        <Text size="xs" c="dimmed">
          {unit}
        </Text>
      </Group>
      {children}
      {legend}
    </Card>
  );
}

function Legend({ series }: { series: { name: string; label: string; color: string }[] }) {
  return (
    <Group gap="md" mt="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {series.map(({ name, label, color }) => (
        <Group key={name} gap={6} component="li" wrap="nowrap" maw={280}>
          <svg width="10" height="10" aria-hidden>
            <rect width="10" height="10" rx="3" fill={`var(--mantine-color-${color.replace('.', '-')})`} />
          </svg>
          <Text size="xs" truncate title={label}>
            {label}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
