import { Group, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count, exactCredits, inColumn } from '../../ui/numbers';
import { dayOf } from '../../ui/times';
import { sentence } from '../../ui/words';
import type { RequestDetail } from './requests.api';

/** What was charged, line by line and exact. */
export function Charge({ request }: { request: RequestDetail }) {
  const { charged, charge_lines, price_source, uncollected, saved_by_cache } = request;
  if (charged === null)
    return (
      <Text size="sm" c="dimmed">
        Nothing was charged.
      </Text>
    );
  const amount = inColumn([charged, ...charge_lines.map((line) => line.amount)]);
  const price = inColumn(charge_lines.flatMap((line) => line.price ?? []));
  return (
    <>
      <Table verticalSpacing={6} horizontalSpacing={6} className="numbers" fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th ta="right">Count</Table.Th>
            <Table.Th ta="right" style={{ whiteSpace: 'normal' }}>
              Credits per 1,000
            </Table.Th>
            <Table.Th ta="right">Credits</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {charge_lines.map((line) => (
            <Table.Tr key={line.component}>
              <Table.Td>{sentence(line.component)}</Table.Td>
              <Table.Td ta="right">{line.count === undefined ? '' : count(line.count)}</Table.Td>
              <Table.Td ta="right">{line.price === undefined ? '' : price(line.price)}</Table.Td>
              <Table.Td ta="right">{amount(line.amount)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th colSpan={3} c="var(--mantine-color-text)">
              Charged
            </Table.Th>
            <Table.Th ta="right" c="var(--mantine-color-text)" fz="sm" fw={600}>
              {amount(charged)}
            </Table.Th>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
      <Group gap="md">
        {saved_by_cache !== undefined && Number(saved_by_cache) > 0 && (
          <Note>Reading from the provider’s cache has saved {exactCredits(saved_by_cache)} credits.</Note>
        )}
        {Number(uncollected) > 0 && <Note>{exactCredits(uncollected)} credits more were owed and could not be collected.</Note>}
        {price_source && (
          <Note>
            The price of {price_source.provider}/{price_source.model}, in force since {dayOf(price_source.valid_from)}.
          </Note>
        )}
      </Group>
    </>
  );
}

const Note = ({ children }: { children: ReactNode }) => (
  <Text size="xs" c="dimmed">
    {children}
  </Text>
);
