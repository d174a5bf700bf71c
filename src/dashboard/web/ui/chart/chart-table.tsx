import { ScrollArea, Table, Text } from '@mantine/core';
import { CHART_HEIGHT, type ChartProps } from './chart';
import { isSomething } from './shape';

/** What a chart shows as rows, latest first and as high as the chart; intervals in which there was nothing are left out. */
export function ChartTable({ label, series, times, nameOfTime, zeroes = false, sumOf }: ChartProps) {
  const places = times.map((_, place) => place).filter((place) => series.some(({ values }) => isSomething(values[place], zeroes)));
  const sums = sumOf && series.length > 1;
  return (
    <ScrollArea h={CHART_HEIGHT} viewportProps={{ tabIndex: 0 }}>
      <Table stickyHeader verticalSpacing={4} horizontalSpacing="xs" fz="xs" className="numbers" aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Time</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right" maw={160}>
                <Text span inherit truncate display="block" title={name}>
                  {name}
                </Text>
              </Table.Th>
            ))}
            {sums && <Table.Th ta="right">In all</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {places.toReversed().map((place) => (
            <Table.Tr key={place}>
              <Table.Th scope="row">{nameOfTime(place)}</Table.Th>
              {series.map(({ name, values }) => (
                <Table.Td key={name} ta="right">
                  {values[place]?.text ?? '–'}
                </Table.Td>
              ))}
              {sums && <Table.Td ta="right">{sumOf(place)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
