import { Table, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { count } from '../../ui/numbers';
import { Credits, Time } from '../../ui/values';

type Line = Schemas['LedgerLineView'];

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Grants, and what was charged in a day, with the balance behind each. */
export function LedgerLines({ lines, empty }: { lines: readonly Line[]; empty: string }) {
  if (lines.length === 0)
    return (
      <Text size="sm" c="dimmed" p="md">
        {empty}
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={600}>
      <Table className="numbers" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>When</Table.Th>
            <Table.Th>What</Table.Th>
            <Table.Th ta="right">Requests</Table.Th>
            <Table.Th ta="right">Credits</Table.Th>
            <Table.Th ta="right">Balance</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((line) => (
            <Table.Tr key={`${line.kind} ${line.id}`}>
              <Table.Td>{line.kind === 'grant' ? <Time value={line.time} /> : day.format(new Date(line.time))}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {line.kind === 'grant' ? 'Granted' : 'Charged (UTC day)'}
                {line.note !== '' && <Text span inherit c="dimmed">{` · ${line.note}`}</Text>}
              </Table.Td>
              <Table.Td ta="right">{line.requests === 0 ? '' : count(line.requests)}</Table.Td>
              <Table.Td ta="right" c={line.kind === 'grant' ? 'signal' : undefined}>
                <Credits value={line.amount} />
              </Table.Td>
              <Table.Td ta="right">
                <Credits value={line.balance} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
